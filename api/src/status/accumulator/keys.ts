import type { Hex } from '@accredit/chain'
import { hexIn } from '@accredit/chain/bytes'
import { LRUCache } from 'lru-cache'
import { type SignerDoor, SignerRefused } from '../../ledger/write/signer-door.js'
import type { MakingDoor } from '../status-method.js'

/** The type of its registries and entries. */
export const ACCUMULATOR = 'DockVBAccumulator2022'

/** The signer gives the same key for the same handle: nothing else has to be remembered. */
const handleOf = (registryId: string): string => `accumulator/${registryId}`

/** The keys of registries, which never change. */
const known = new LRUCache<string, { keyRef: string; publicKey: string }>({ max: 10_000 })

/** Makes the key pair of a new registry, which no other registry has. */
export async function makeKey({ signer }: Pick<MakingDoor, 'signer'>, registryId: string): Promise<Hex> {
  const { publicKey } = await keyOf({ signer }, registryId)
  await signer.bindKeys(handleOf(registryId))
  return hexIn(publicKey)
}

/**
 * Returns the private key of a registry.
 * @param publicKey the one that the ledger has; null: the registry is not there yet
 * @returns undefined where its key is not here
 */
export async function keyRefOf(
  door: Pick<MakingDoor, 'signer'>,
  registryId: string,
  publicKey: string | null,
): Promise<string | undefined> {
  const key = known.get(registryId) ?? (await keyOf(door, registryId))
  known.set(registryId, key)
  return publicKey === null || key.publicKey === publicKey ? key.keyRef : undefined
}

/** Lets the signer forget the private key of a registry; one that is forgotten already stays so. */
export async function destroyKey(
  { signer }: { signer: Pick<SignerDoor, 'makeKeys' | 'destroyKeys'> },
  registryId: string,
): Promise<void> {
  known.delete(registryId)
  try {
    const keys = await signer.makeKeys(handleOf(registryId), ['VbAccumulator'])
    await signer.destroyKeys(keys.map(({ keyRef }) => keyRef))
  } catch (error) {
    if (!(error instanceof SignerRefused && error.type === 'keys_destroyed')) throw error
  }
}

async function keyOf({ signer }: Pick<MakingDoor, 'signer'>, registryId: string) {
  const [key] = await signer.makeKeys(handleOf(registryId), ['VbAccumulator'])
  if (key === undefined) throw new TypeError('the signer gave no key')
  return key
}
