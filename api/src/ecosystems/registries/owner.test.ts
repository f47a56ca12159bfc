/** The owner of a registry when more than one team showed that it has a key of the convener. */
import { type Did, type Hex32, hexOf, parseDid } from '@accredit/chain'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { forgetDid } from '../../dids/forgotten-did.store.js'
import { someDidKey } from '../../dids/testing.js'
import { proveControl } from '../../dids/wallet/did-proof.store.js'
import type { TestTeam } from '../../platform/testing/scratch-database.js'
import { TestEcosystems } from '../testing.js'

let world: TestEcosystems
let maker: TestTeam
let stranger: TestTeam
let convener: Did
let registry: Hex32
beforeAll(async () => {
  world = await TestEcosystems.open()
})
afterAll(() => world.close())
beforeEach(async () => {
  maker = await world.team()
  stranger = await world.team()
  convener = await world.organisation(maker, 'Council')
  registry = await world.registry(maker, convener, `Registry ${maker.team}`)
})

/** Submits an action that a key of the convener signed elsewhere. */
const brings = ({ team }: TestTeam, key_id: number, did: string = convener) =>
  world.scratch.db.transaction({ teams: [team], actor: 'test' }, (tx) =>
    proveControl(tx, { did, team_id: team, key_id, proved: world.clock.now() }),
  )

const newKey = (key_id: number) =>
  world.block((from_block) =>
    world.ledger.row('did_key', {
      did: convener,
      key_id,
      kind: 'Ed25519',
      relationships: 7,
      end_reason: null,
      public_key: hexOf(new Uint8Array(32).fill(key_id)),
      from_block,
      to_block: null,
    }),
  )

const forget = () => world.scratch.db.transaction('system', (tx) => forgetDid(tx, convener, world.clock.now()))

async function ownedBy(owner: TestTeam): Promise<void> {
  for (const team of [maker, stranger]) {
    const { status, body } = await world.call(team, 'GET', `/trust-registries/${registry}`)
    expect(team === owner ? [status, body.isOwner] : [status]).toEqual(team === owner ? [200, true] : [404])
    const listed = await world.call(team, 'GET', '/trust-registries')
    expect(listed.body.map(({ id }: { id: string }) => id)).toEqual(team === owner ? [registry] : [])
  }
}

test('a team that forgot a convener keeps its registry until another team proves control', async () => {
  await newKey(4)
  await brings(stranger, 4)
  await ownedBy(maker)
  await forget()
  await ownedBy(maker)
  await brings(stranger, 4)
  await ownedBy(stranger)
})

test('a proof of control ends with its key, and an older proof by another key counts again', async () => {
  await newKey(4)
  await newKey(5)
  await forget()
  await brings(stranger, 4)
  await brings(maker, 4)
  await ownedBy(maker)
  await brings(stranger, 5)
  await ownedBy(stranger)
  await world.block((block) => world.endKey(convener, 5, block))
  await ownedBy(maker)
  await brings(stranger, 5)
  await ownedBy(maker)
  await world.block((block) => world.endKey(convener, 4, block))
  await ownedBy(maker)
})

test('the last proof counts for a did:key, whose key nobody can take away', async () => {
  const own = parseDid(someDidKey())
  if (own === undefined) throw new TypeError('a did:key was made')
  await world.block(async (block) => {
    await world.endRegistry(registry, block)
    await world.registryRow(registry, own, 'Registry', '0x31', block)
  })
  await brings(maker, 0, own)
  await ownedBy(maker)
  await brings(stranger, 0, own)
  await ownedBy(stranger)
})
