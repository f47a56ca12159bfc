import { type Did, type DidState, didKeyState, RELATIONSHIPS } from '@accredit/chain'
import { resolveAt } from '../../ledger/read/at.js'
import { didStateAt } from '../../ledger/read/did-state.js'
import { shareOf } from '../../ledger/write/share.js'
import type { MadeKey } from '../../ledger/write/signer-door.js'
import { jobStarted, NO_JOB } from '../../ledger/write/wait-for-job.js'
import type { Reader } from '../../platform/database/database.js'
import { ApiError, invalid } from '../../platform/errors.js'
import type { Context } from '../../platform/http/context.js'
import { attemptsOfEach, OF_PASSWORDS } from '../../platform/security/attempts.js'
import { callerName } from '../../platform/security/principal.js'
import { insertDid } from '../did.store.js'
import { didParam } from '../did-param.js'
import { leftMacKeys } from '../held-key.store.js'
import { isDidKey } from '../resolution/did-lookup.js'
import { dropForgotten, isActing, isHeld, leftKeys } from './did-transfer.store.js'
import { readContents, WalletError, type WalletSecret } from './wallet-content.js'
import { openWallets, WrongPassword, walletOpener } from './wallet-documents.js'
import { fromSigner } from './wallet-errors.js'

export interface GivenWallet {
  data: unknown
  password: string | undefined
  /** The DID that the wallet must be of; undefined: any DID. */
  did?: string
}

const attemptsOf = attemptsOfEach()
/** The number of keys that the signer takes at once; a DID has no more. */
const MAX_KEYS = 32

/** Takes over the DID of a wallet for the caller's team. */
export async function importWallet(ctx: Context, given: GivenWallet) {
  const { did: text, secrets } = await contentsOf(ctx, given)
  const state = await stateOf(ctx, didParam(text, 'The DID of the wallet'))
  const keys = await takeKeys(ctx, state, secrets)
  const obstacle = await ctx.db.read('system', (reader) => obstacleTo(reader, state.did))
  if (obstacle !== undefined) {
    await ctx.signer.destroyKeys(keys.map(({ keyRef }) => keyRef))
    throw new ApiError('conflict', obstacle)
  }
  // A DID that a team forgot stays forgotten, even before its keys are deleted.
  const left = await ctx.db.read('system', (reader) => leftKeys(reader, state.did))
  await ctx.signer.destroyKeys(left)
  const macKeys = await ctx.db.read('system', (reader) => leftMacKeys(reader, { did: state.did, most: MAX_KEYS }))
  await ctx.signer.retireKeys(macKeys.map(({ key_ref }) => key_ref))
  return ctx.db.transaction(ctx.scope, async (tx) => {
    const now = ctx.clock.now()
    await dropForgotten(tx, state.did, now)
    const { did, controllers, services } = state
    const type = isDidKey(did) ? 'key' : 'ledgerA'
    const stored = services.map((service) => ({ ...service, endpoints: [...service.endpoints] }))
    insertDid(tx, { did, team: ctx.team, type, controllers: [...controllers], services: stored, keys, now })
    await tx.audit({ action: 'importDid', subject: did, after: { type, keys: keys.length } })
    // The keys of a DID that somebody else took over first are not bound: they are swept.
    await tx.settled()
    await ctx.signer.bindKeys(handleOf(ctx))
    return tx.answer(jobStarted(ctx, NO_JOB, { did }))
  })
}

/** Returns the reason for which the DID cannot be taken now. */
async function obstacleTo(reader: Reader, did: string): Promise<string | undefined> {
  if (await isHeld(reader, did)) return 'The DID is held here already'
  // The keys here still have to sign the actions that were accepted before the DID was forgotten.
  return (await isActing(reader, did)) ? 'Actions of the DID are on their way to the ledger; try again' : undefined
}

const handleOf = (ctx: Context): string => `import/${ctx.requestId}`

async function contentsOf(ctx: Context, { data, password, did }: GivenWallet) {
  try {
    const contents = readContents(await documentsOf(ctx, data, password))
    return { did: theDid(contents, did), secrets: contents.secrets }
  } catch (error) {
    if (error instanceof WalletError) throw invalid(error.message)
    throw error
  }
}

/** Opens the wallet. Wrong passwords are counted by the API key: a wallet can be called anything. */
async function documentsOf(ctx: Context, data: unknown, password: string | undefined) {
  const name = `wallet ${callerName(ctx.principal)}`
  const open = walletOpener(password)
  let end: ((isWrong: boolean) => void) | undefined
  let isWrong = false
  try {
    return await openWallets(data, async (jwe) => {
      end ??= await attemptsOf(ctx).enter([[name, OF_PASSWORDS]], ctx.clock)
      return open(jwe)
    })
  } catch (error) {
    isWrong = !(error instanceof WalletError) || error instanceof WrongPassword
    throw error
  } finally {
    end?.(isWrong)
  }
}

/**
 * Returns the one DID that the wallet is about: by its resolution result, or else by its keys. A wallet that names none
 * is taken for the requested DID.
 */
function theDid({ dids, secrets }: ReturnType<typeof readContents>, wanted: string | undefined): string {
  const told = dids.length > 0 ? dids : [...new Set(secrets.flatMap(({ controller }) => controller ?? []))]
  const did = told[0] ?? wanted
  if (secrets.length === 0) throw invalid('The wallet holds no private key')
  if (did === undefined) throw invalid('The wallet does not say of which DID its keys are')
  if (told.length > 1) throw invalid('The wallet is of several DIDs: import them one by one')
  if (wanted !== undefined && wanted !== did) throw invalid('The wallet is of another DID')
  return did
}

async function stateOf(ctx: Context, did: Did): Promise<DidState> {
  if (isDidKey(did)) return didKeyState(did) ?? notHere()
  const state = await didStateAt(ctx.index, did, await resolveAt(ctx.index, undefined, ctx.clock))
  return state === undefined || state.deactivated ? notHere() : state
}

function notHere(): never {
  throw invalid('The DID is not on this ledger, or was deactivated')
}

/**
 * Gives the signer the private keys whose public halves are the DID's, by the numbers that the ledger gave them. The
 * signer derives the public halves itself; those in the wallet only save it some work.
 */
async function takeKeys(ctx: Context, state: DidState, secrets: readonly WalletSecret[]) {
  const isOfDid = (kind: string, publicKey: string) =>
    state.keys.some(({ key }) => key.kind === kind && key.publicKey === publicKey)
  const claimed = secrets.filter(({ kind, publicKey }) => publicKey === undefined || isOfDid(kind, publicKey))
  const distinct = [...new Map(claimed.map((secret) => [`${secret.kind} ${secret.privateKey}`, secret])).values()]
  if (distinct.length === 0) throw noneActs()
  if (distinct.length > MAX_KEYS) throw invalid(`A DID has at most ${MAX_KEYS} keys`)
  const given = distinct.map(({ kind, privateKey }) => ({ kind, privateKey }))
  const made = await fromSigner(ctx.signer.importKeys(handleOf(ctx), given, shareOf(ctx, ctx.team)))
  const kept = made.flatMap((key) => numbered(state, key))
  const acts = kept.some(({ kind, relationships }) => kind === 'Ed25519' && relationships & CAN_CONTROL)
  const useless = acts ? made.filter(({ keyRef }) => kept.every((key) => key.keyRef !== keyRef)) : made
  await ctx.signer.destroyKeys(useless.map(({ keyRef }) => keyRef))
  if (!acts) throw noneActs()
  return kept
}

const CAN_CONTROL = RELATIONSHIPS.capabilityInvocation

const noneActs = (): ApiError =>
  invalid('The wallet must hold an Ed25519 key of the DID that is for capabilityInvocation: none of its keys is')

function numbered({ keys }: DidState, made: MadeKey) {
  const found = keys.find(({ key }) => key.kind === made.kind && key.publicKey === made.publicKey)
  return found === undefined ? [] : [{ ...made, keyId: found.id, relationships: found.relationships }]
}
