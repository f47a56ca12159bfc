import { availableParallelism } from 'node:os'
import type { Static } from 'typebox'
import { Check } from 'typebox/schema'
import type { AnyContext } from '../../platform/http/context.js'
import { FairQueue } from '../../platform/process/fair-queue.js'
import { attemptsOfEach, type Limited, type MostFailures } from '../../platform/security/attempts.js'
import { networkOf } from '../../platform/security/client-address.js'
import { callerName } from '../../platform/security/principal.js'
import { IssuedCredential } from '../credential.shape.js'
import type { SealedCredential } from '../credential.store.js'
import { open, seal, UNOPENABLE } from './persisted.js'

const BY_ONE: MostFailures = { most: 5, what: 'wrong passwords' }
/** The limit over all addresses keeps a caller with many of them from finding a password of four characters. */
const BY_ALL: MostFailures = { most: 30, windowSeconds: 3600, what: 'wrong passwords for this credential' }

const attemptsOf = attemptsOfEach()
/**
 * A key takes 64 MiB and a processor for a tenth of a second: all callers together use half of the processors at most.
 */
const derivations = new FairQueue({
  running: Math.max(1, Math.floor(availableParallelism() / 2)),
  waiting: 64,
  waitingPerCaller: 16,
})

type Caller = Pick<AnyContext, 'clock' | 'events' | 'address' | 'principal' | 'team' | 'passwordCost'>

/** The caller that the derivation is counted for. */
const shareOf = ({ principal, address }: Caller): string =>
  principal.kind === 'public' ? networkOf({ address }) : callerName(principal)

/** Seals a credential with a password; waits for its turn. @throws 429 or 503 when too many wait */
export const sealCredential = (
  ctx: Caller & { random: { bytes(length: number): Uint8Array } },
  text: string,
  password: string,
): Promise<Buffer> => derivations.run(shareOf(ctx), () => seal(text, password, ctx.random.bytes, ctx.passwordCost))

/** Stands for the copy at an address that has none: no password opens it. */
export const NO_COPY = { team: 'nobody', sealed: UNOPENABLE } as const

/**
 * Returns the persisted credential, or undefined when the password is wrong. A caller with a key of its team is limited
 * by the errors of that key, any other by those of the network, and slowly by those of all.
 * @throws 429 after too many wrong ones, 429 or 503 when too many wait
 */
export async function openCredential(
  ctx: Caller,
  id: string,
  { team, sealed }: SealedCredential | typeof NO_COPY,
  password: string,
): Promise<Static<typeof IssuedCredential> | undefined> {
  const name = `${team} ${id}`
  const isOwner = ctx.team === team
  const counted: Limited[] = isOwner
    ? [[`${shareOf(ctx)} ${name}`, BY_ONE]]
    : [
        [`${shareOf(ctx)} ${name}`, BY_ONE],
        [name, BY_ALL],
      ]
  const text = await guess(ctx, counted, () =>
    derivations.run(shareOf(ctx), () => open(sealed, password, ctx.passwordCost)),
  )
  if (text === undefined) return undefined
  const credential: unknown = JSON.parse(text)
  if (!Check(IssuedCredential, credential)) throw new TypeError(`the persisted credential ${id} is malformed`)
  return credential
}

/** Counts a guess under each name if it turns out wrong. */
async function guess(
  caller: Caller,
  names: readonly Limited[],
  open: () => Promise<string | undefined>,
): Promise<string | undefined> {
  const end = await attemptsOf(caller).enter(names, caller.clock)
  let isWrong = false
  try {
    const text = await open()
    isWrong = text === undefined
    return text
  } finally {
    end(isWrong)
  }
}
