/** Keys for dry runs: made in memory, never stored, forgotten after a minute. */
import { Buffer } from 'node:buffer'
import { hexOf } from '@accredit/chain'
import { grouped } from '../actions/batch-loader.js'
import type { Clock } from '../clock.js'
import { SignerError } from '../errors.js'
import type { Randomness } from '../randomness.js'
import type { GivenKey, KeyKind, MadeKey } from '../server/wire.js'
import type { KeyPair } from './bbs.js'
import { type Curves, signatureOf } from './curves.js'
import { signEd25519 } from './ed25519.js'
import { keysAtOnce, type SignBytes } from './keys.js'

export interface ThrowawayKeys {
  /** Those of one share take turns with those of others. */
  make(kinds: KeyKind[], share: string): Promise<MadeKey[]>
  /** Those that the caller has. */
  import(keys: GivenKey[]): Promise<MadeKey[]>
  /**
   * A signature by the key of this reference; where the reference is that of a real key, by one that is nobody's, so that
   * no dry run is a way to real signatures.
   */
  sign(keyRef: string, bytes: Uint8Array): Buffer
  /** Signing functions of those among the references that were made here. */
  signing(keyRefs: string[]): Map<string, SignBytes>
}

export interface ThrowawayNeeds {
  curves: Curves
  random: Randomness
  clock: Clock
}

interface Kept {
  kind: KeyKind
  secret: Uint8Array
  until: number
}

const keepMs = 60_000
const mostKept = 10_000

export function openThrowawayKeys({ curves, random, clock }: ThrowawayNeeds): ThrowawayKeys {
  const kept = new Map<string, Kept>()
  const nobodys = random(32)

  /** In the order in which they were made, so that the old ones stand first. */
  function forgetOld() {
    for (const [keyRef, { until }] of kept) {
      if (until > clock()) return
      kept.delete(keyRef)
    }
  }

  function keep(kind: KeyKind, { secret, publicKey }: KeyPair): MadeKey {
    const keyRef = `dry_${Buffer.from(random(16)).toString('hex')}`
    kept.set(keyRef, { kind, secret, until: clock() + keepMs })
    return { keyRef, kind, publicKey: hexOf(publicKey) }
  }

  const makePairs = grouped(
    (requests: { kinds: KeyKind[]; share: string }[]) =>
      Promise.all(requests.map(({ kinds }) => Promise.all(kinds.map((kind) => curves.make(kind))))),
    { maxItems: keysAtOnce, shareOf: ({ share }) => share },
  )

  async function keepAll(kinds: KeyKind[], pairs: Promise<KeyPair[]>): Promise<MadeKey[]> {
    const made = await pairs
    forgetOld()
    if (kept.size + made.length > mostKept) {
      throw new SignerError(429, 'rate_capped', `No more than ${mostKept} keys of dry runs at once.`)
    }
    return made.map((pair, index) => keep(kinds[index] ?? 'Ed25519', pair))
  }

  function signingWith(keyRef: string): SignBytes | undefined {
    const key = kept.get(keyRef)
    const sign = key && signatureOf(key.kind)
    return key && sign && ((bytes) => Buffer.from(sign(key.secret, bytes)))
  }

  return {
    make: (kinds, share) => keepAll(kinds, makePairs({ kinds, share })),
    import: (keys) =>
      keepAll(
        keys.map(({ kind }) => kind),
        Promise.all(keys.map(({ kind, privateKey }) => curves.pairOf(kind, Buffer.from(privateKey.slice(2), 'hex')))),
      ),
    sign: (keyRef, bytes) => signingWith(keyRef)?.(bytes) ?? signEd25519(nobodys, bytes),
    signing(keyRefs) {
      const signers = new Map<string, SignBytes>()
      for (const keyRef of keyRefs) {
        const sign = signingWith(keyRef)
        if (sign !== undefined) signers.set(keyRef, sign)
      }
      return signers
    },
  }
}
