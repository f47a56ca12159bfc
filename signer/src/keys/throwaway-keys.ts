/** The keys for dry runs, kept nowhere. Their references hold them, sealed for this process alone. */
import { Buffer } from 'node:buffer'
import { hexOf } from '@accredit/chain'
import { batchLoader } from '@accredit/process/batch-loader'
import { seal, unseal } from '@accredit/process/seal'
import { Check } from 'typebox/schema'
import type { Randomness } from '../randomness.js'
import { bytesOf, type GivenKey, HeldKind, type MadeKey } from '../wire.js'
import type { KeyPair } from './bls-pairs.js'
import { type Curves, signerOf } from './curves.js'
import { ed25519Signer } from './ed25519.js'
import { keysAtOnce, type SignBytes } from './keys.js'

export interface ThrowawayKeys {
  /** Makes keys. Requests of one share take turns with those of others. */
  make(kinds: HeldKind[], share: string): Promise<MadeKey<HeldKind>[]>
  /** Takes keys that the caller has. */
  import(keys: GivenKey[]): Promise<MadeKey<HeldKind>[]>
  /**
   * Signs by the key of this reference; where the reference is that of a real key, by one that is nobody's, so that no
   * dry run is a way to real signatures.
   */
  sign(keyRef: string, bytes: Uint8Array): Buffer
  /** Returns signing functions of those among the references that were made here. */
  signing(keyRefs: string[]): Map<string, SignBytes>
}

export interface ThrowawayNeeds {
  curves: Curves
  random: Randomness
}

const throwawayRef = /^dry\.(\w+)\.([\w-]+)$/

export function openThrowawayKeys({ curves, random }: ThrowawayNeeds): ThrowawayKeys {
  const sealing = random(32)
  const signByNobodys = ed25519Signer(random(32))

  function named(kind: HeldKind, { secret, publicKey }: KeyPair): MadeKey<HeldKind> {
    const keyRef = `dry.${kind}.${seal(sealing, secret, kind, random).toString('base64url')}`
    return { keyRef, kind, publicKey: hexOf(publicKey) }
  }

  function signingWith(keyRef: string): SignBytes | undefined {
    const [, kind, sealed = ''] = throwawayRef.exec(keyRef) ?? []
    const signer = Check(HeldKind, kind) ? signerOf(kind) : undefined
    if (kind === undefined || signer === undefined) return undefined
    return signer(unseal(sealing, Buffer.from(sealed, 'base64url'), kind))
  }

  const make = batchLoader(
    (requests: { kinds: HeldKind[]; share: string }[]) =>
      Promise.all(
        requests.map(({ kinds }) => Promise.all(kinds.map(async (kind) => named(kind, await curves.make(kind))))),
      ),
    { most: keysAtOnce, shareOf: ({ share }) => share },
  )

  return {
    make: (kinds, share) => make({ kinds, share }),
    import: (keys) =>
      Promise.all(
        keys.map(async ({ kind, privateKey }) => named(kind, await curves.pairOf(kind, bytesOf(privateKey)))),
      ),
    sign: (keyRef, bytes) => signingWith(keyRef)?.(bytes) ?? signByNobodys(bytes),
    signing: (keyRefs) =>
      new Map(
        keyRefs.flatMap((keyRef) => {
          const sign = signingWith(keyRef)
          return sign ? [[keyRef, sign]] : []
        }),
      ),
  }
}
