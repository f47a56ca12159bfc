import { generateKeyPairSync, sign } from 'node:crypto'
import { type Did, didToHex, type Hex32, hexOf, type KeyInput, parseHex32, possessionBytes } from '@accredit/chain'
import { calls, type Person, rawKey, type TestChain } from './chain'

type Ensured = { schema: Hex32; issuers?: Did[]; verifiers?: Did[] }

/** Lists issuers and verifiers of one schema, whatever is there already. */
export function ensure(registryId: Hex32, { schema, issuers = [], verifiers = [] }: Ensured) {
  const issuersUpdate = { Modify: new Map(issuers.map((did) => [did, 'Ensure' as const])) }
  const verifiersUpdate = { Modify: new Map(verifiers.map((did) => [did, 'Ensure' as const])) }
  const update = {
    ...(issuers.length > 0 && { issuers: issuersUpdate }),
    ...(verifiers.length > 0 && { verifiers: verifiersUpdate }),
  }
  return calls.trustRegistry.setSchemasMetadata({
    registryId,
    update: { Modify: new Map([[schema, { Ensure: update }]]) },
  })
}

function discard(registryId: Hex32, schema: Hex32) {
  const update = { Modify: new Map([[schema, 'Discard' as const]]) }
  return calls.trustRegistry.setSchemasMetadata({ registryId, update })
}

/** An Ed25519 key that its DID can take up. */
function possessedKey(genesisHash: string, did: Did): KeyInput {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const key = { kind: 'Ed25519' as const, publicKey: rawKey(publicKey) }
  const genesis = hex32(genesisHash)
  const possession = hexOf(sign(null, possessionBytes({ genesisHash: genesis, did: hexOfDid(did), key }), privateKey))
  return { key, relationships: 0, possession }
}

const hexOfDid = (did: Did): Hex32 => hex32(didToHex(did) ?? '')

function hex32(text: string): Hex32 {
  const parsed = parseHex32(text)
  if (parsed === undefined) throw new Error(`${text} has not 32 bytes`)
  return parsed
}

/** Acts that deposit every event of the three pallets that can be had, several of them undone in the block they were done in. */
export async function everyEvent(chain: TestChain, id: (byte: number) => Hex32): Promise<number> {
  await didEvents(chain)
  const people = {
    convener: await chain.createDid(),
    issuer: await chain.createDid(),
    delegate: await chain.createDid(),
  }
  await registryEvents(chain, people, id)
  return revocationEvents(chain, people.issuer, id)
}

async function didEvents(chain: TestChain): Promise<void> {
  const owner = await chain.createDid()
  const other = await chain.createDid()
  const did = hexOfDid(owner.did)
  const service = (endpoint: string) => ({ id: 'files', type: 'Files', endpoints: [endpoint] })
  const key = () => possessedKey(chain.genesisHash, owner.did)
  await chain.act(owner, calls.did.addKeys({ did, keys: [key(), key()] }))
  await chain.act(owner, calls.did.rotateKey({ did, old: 2, new: key() }))
  await chain.act(owner, calls.did.revokeKeys({ did, keys: [2, 3] }))
  await chain.act(owner, calls.did.addControllers({ did, controllers: [other.did] }))
  await chain.act(owner, calls.did.removeControllers({ did, controllers: [other.did] }))
  await chain.act(owner, calls.did.addControllers({ did, controllers: [other.did] }))
  await chain.act(owner, calls.did.setService({ did, service: service('https://a') }))
  await chain.act(owner, calls.did.setService({ did, service: service('https://b') }))
  await chain.act(
    owner,
    calls.did.removeService({ did, id: 'files' }),
    calls.did.setService({ did, service: service('https://c') }),
    calls.did.removeService({ did, id: 'files' }),
  )
  await chain.act(owner, calls.did.setService({ did, service: service('https://d') }))
  await chain.act(other, calls.did.deactivate({ did }))
}

interface People {
  convener: Person
  issuer: Person
  delegate: Person
}

async function registryEvents(chain: TestChain, people: People, id: (byte: number) => Hex32): Promise<void> {
  const { convener, issuer, delegate } = people
  const registryId = id(10)
  const [first, second] = [id(20), id(21)]
  const named = (name: string) => calls.trustRegistry.initOrUpdate({ registryId, name, govFramework: 'https://x/1' })
  await chain.act(convener, named('One'))
  await chain.act(convener, named('Two'))
  await chain.act(convener, ensure(registryId, { schema: first, issuers: [issuer.did], verifiers: [delegate.did] }))
  await chain.act(convener, opened(registryId, second))
  await chain.act(issuer, priced(registryId, first, issuer.did, 5n))
  await chain.act(issuer, priced(registryId, first, issuer.did, 2n ** 100n))
  await chain.act(
    issuer,
    calls.trustRegistry.updateDelegatedIssuers({ registryId, delegated: { Set: [delegate.did] } }),
  )
  await chain.act(convener, calls.trustRegistry.suspendIssuers({ registryId, dids: [issuer.did, delegate.did] }))
  await chain.act(convener, calls.trustRegistry.unsuspendIssuers({ registryId, dids: [issuer.did, delegate.did] }))
  await chain.act(convener, calls.trustRegistry.suspendVerifiers({ registryId, dids: [delegate.did] }))
  await chain.act(convener, calls.trustRegistry.unsuspendVerifiers({ registryId, dids: [delegate.did] }))
  await chain.act(convener, calls.trustRegistry.transfer({ registryId, newConvener: issuer.did }))
  await chain.act(issuer, calls.trustRegistry.accept({ registryId }))
  // Both added and gone within one block: nothing that was ever true.
  const brief = ensure(registryId, { schema: id(22), issuers: [convener.did] })
  await chain.act(issuer, brief, discard(registryId, id(22)))
  await chain.act(issuer, discard(registryId, first))
  await chain.act(issuer, discard(registryId, second))
  await chain.act(issuer, calls.trustRegistry.remove({ registryId }))
}

function opened(registryId: Hex32, schema: Hex32) {
  const update = { Modify: new Map([[schema, { Ensure: { verifiers: { Set: [] } } }]]) }
  return calls.trustRegistry.setSchemasMetadata({ registryId, update, expectedVersion: 1 })
}

function priced(registryId: Hex32, schema: Hex32, issuer: Did, price: bigint) {
  const issuers = { Modify: new Map([[issuer, { Set: new Map([['USD', price]]) }]]) }
  const update = { Modify: new Map([[schema, { Modify: { issuers } }]]) }
  return calls.trustRegistry.setSchemasMetadata({ registryId, update })
}

async function revocationEvents(chain: TestChain, issuer: Person, id: (byte: number) => Hex32): Promise<number> {
  const registryId = id(30)
  const kind = { StatusList: { length: 131_072 } }
  const status = (revoke: number[], unrevoke: number[]) => calls.revocation.setStatus({ registryId, revoke, unrevoke })
  await chain.act(issuer, calls.revocation.create({ registryId, policy: [issuer.did], addOnly: false, kind }))
  await chain.act(issuer, status([1, 5, 131_071], []))
  await chain.act(issuer, status([7], [5]), status([5], [7]))
  return chain.act(issuer, calls.revocation.remove({ registryId }))
}
