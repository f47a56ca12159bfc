import type { Hex } from '@accredit/chain'
import { hexIn } from '@accredit/chain/bytes'
import { LRUCache } from 'lru-cache'
import type { MakingDoor } from '../status-method.js'

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

async function keyOf({ signer }: Pick<MakingDoor, 'signer'>, registryId: string) {
  const [key] = await signer.makeKeys(handleOf(registryId), ['VbAccumulator'])
  if (key === undefined) throw new TypeError('the signer gave no key')
  return key
}
