import { calls, type Did, didToHex, type Hex32, hex32Of, hexOf, possessionBytes } from '@accredit/chain'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Action, MadeKey } from '../src/client.js'
import { act, newDid, openSignerHere, openWorld, randomHex32, settled, type TestSigner, type World } from './support.js'

describe('actions on a real ledger', () => {
  let world: World
  let signer: TestSigner

  beforeAll(async () => {
    world = await openWorld()
    signer = await openSignerHere(world)
  })
  afterAll(async () => {
    await signer.stop()
    await world.close()
  })

  async function finish(...actions: Action[]) {
    await signer.client.submitActions(actions)
    const states = await settled(
      signer.client,
      actions.map(({ id }) => id),
    )
    return actions.map(({ id }) => states.get(id))
  }

  test('a new DID and its first action are final together, with block, extrinsic, nonce and call', async () => {
    const actor = await newDid(signer.client)
    const action = act(actor, 1, [registry(randomHex32())])
    const [creation, first] = await finish(actor.creation, action)
    expect(creation).toMatchObject({ state: 'final', outcome: { encodedTx: expect.stringMatching(/^0x0a00/) } })
    expect(first).toMatchObject({ state: 'final', outcome: { nonce: 1, encodedTx: expect.stringMatching(/^0x0a01/) } })
    const { blockHash, blockHeight, extrinsicHash, extrinsicIndex, callHash, error } = first?.outcome ?? {}
    expect(callHash).toMatch(/^0x[0-9a-f]{64}$/)
    expect(error).toBeUndefined()
    const block = await world.ledger.ledger.chain.store.blockAt(blockHeight ?? -1)
    expect(block?.hash).toBe(blockHash)
    const { rows } = await world.sql.query('select bytes, state from signer.extrinsics where hash = $1', [
      Buffer.from((extrinsicHash ?? '').slice(2), 'hex'),
    ])
    expect(rows).toEqual([{ bytes: null, state: 'final' }])
    expect(extrinsicIndex).toBeGreaterThan(0)
  })

  test("a refused action carries the pallet's error with its documentation, and costs its DID no nonce", async () => {
    const actor = await newDid(signer.client)
    const id = randomHex32()
    const remove = calls.trustRegistry.remove({ registryId: id })
    const [, refused] = await finish(actor.creation, act(actor, 1, [remove]))
    expect(refused).toMatchObject({
      state: 'refused',
      outcome: { error: { pallet: 'TrustRegistry', name: 'NotFound', docs: expect.stringMatching(/\w+ \w+/) } },
    })
    const [next] = await finish(act(actor, 2, [registry(id)]))
    expect(next).toMatchObject({ state: 'final', outcome: { nonce: 1 } })
  })

  test('a refusal in the middle of many actions of one DID stops none of the others, and order is kept', async () => {
    const actor = await newDid(signer.client)
    const ids = Array.from({ length: 8 }, () => randomHex32())
    const batch = ids.map((id, index) =>
      act(actor, index + 1, [index === 3 ? calls.trustRegistry.remove({ registryId: id }) : registry(id)]),
    )
    const states = await finish(actor.creation, ...batch)
    expect(states.map((state) => state?.state)).toEqual([
      ...Array.from({ length: 4 }, () => 'final'),
      'refused',
      ...Array.from({ length: 4 }, () => 'final'),
    ])
    const nonces = states.flatMap((state) => (state?.state === 'final' ? [state.outcome?.nonce] : []))
    expect(nonces).toEqual([undefined, 1, 2, 3, 4, 5, 6, 7])
  })

  test('actions that arrive out of order wait for the ones before them', async () => {
    const actor = await newDid(signer.client)
    const [first, second] = [act(actor, 1, [registry(randomHex32())]), act(actor, 2, [registry(randomHex32())])]
    await signer.client.submitActions([second])
    await signer.client.submitActions([first])
    const other = await newDid(signer.client)
    await finish(other.creation)
    expect(await signer.client.actionStates([first.id, second.id])).toEqual(
      expect.arrayContaining([
        { id: first.id, state: 'queued' },
        { id: second.id, state: 'queued' },
      ]),
    )
    const states = await finish(actor.creation, first, second)
    expect(states.map((state) => state?.outcome?.nonce)).toEqual([undefined, 1, 2])
  })

  test('the same action twice is one action; another one under its id or in its place is refused', async () => {
    const actor = await newDid(signer.client)
    const action = act(actor, 1, [registry(randomHex32())])
    await signer.client.submitActions([actor.creation, action])
    const [again] = await finish({ ...action, share: 'told later' }, actor.creation)
    expect(again).toMatchObject({ state: 'final', outcome: { nonce: 1 } })
    const changed = { ...act(actor, 1, [registry(randomHex32())]) }
    await expect(signer.client.submitActions([changed])).rejects.toMatchObject({ status: 409, type: 'id_taken' })
    const inItsPlace = { ...changed, id: `${changed.id} again` }
    await expect(signer.client.submitActions([inItsPlace])).rejects.toMatchObject({ type: 'sequence_taken' })
  })

  test('calls of other pallets, malformed calls and unknown keys never reach the ledger', async () => {
    const actor = await newDid(signer.client)
    await finish(actor.creation)
    const remark = { ...act(actor, 1, []), calls: ['0x00000401'] }
    const garbage = { ...act(actor, 2, []), calls: ['0xffffffff'] }
    const foreign = { ...act(actor, 3, [registry(randomHex32())]), keyRef: 'k_unknown' }
    const [agreement] = await signer.client.makeKeys(`agrees-${actor.did}`, ['X25519'])
    const silent = { ...act(actor, 4, [registry(randomHex32())]), keyRef: agreement?.keyRef ?? '' }
    const states = await finish(remark, garbage, foreign, silent)
    expect(states.map((state) => [state?.state, state?.outcome?.error?.pallet, state?.outcome?.error?.name])).toEqual([
      ['refused', 'Signer', 'CallNotAllowed'],
      ['refused', 'Signer', 'MalformedAction'],
      ['refused', 'Signer', 'KeyNotFound'],
      ['refused', 'Signer', 'KeyCannotSign'],
    ])
    expect(states[3]?.outcome?.error?.docs).toBe('A key of kind X25519 cannot sign.')
    for (const state of states) expect(state?.outcome?.blockHeight).toBeUndefined()
    const [next] = await finish(act(actor, 5, [registry(randomHex32())]))
    expect(next).toMatchObject({ state: 'final', outcome: { nonce: 1 } })
  })

  test('a sealed key that does not open refuses its own action and signature, and nobody else’s', async () => {
    const [damaged, sound] = [await newDid(signer.client), await newDid(signer.client)]
    await world.sql.query(
      'update signer.keys set sealed = set_byte(sealed, 30, get_byte(sealed, 30) # 1) where key_ref = $1',
      [damaged.keyRef],
    )
    const states = await finish(damaged.creation, sound.creation)
    expect(states.map((state) => [state?.state, state?.outcome?.error?.name])).toEqual([
      ['refused', 'KeyNotFound'],
      ['final', undefined],
    ])
    const signatures = await Promise.allSettled(
      [damaged, sound].map(({ keyRef }) => signer.client.sign([{ keyRef, bytes: Buffer.from('x') }])),
    )
    expect(signatures).toMatchObject([
      { status: 'rejected', reason: { type: 'key_not_found' } },
      { status: 'fulfilled' },
    ])
  })

  test('an action is not refused for lack of what a requeued earlier one is to do', async () => {
    const actor = await newDid(signer.client)
    const [second] = await signer.client.makeKeys(`${actor.did} second`, ['Ed25519'])
    if (second === undefined) throw new Error('no key')
    const id = randomHex32()
    const addKey = calls.did.addKeys({ did: hexOfDid(actor.did), keys: [await possessed(actor.did, second)] })
    const states = await finish(
      actor.creation,
      act(actor, 1, [calls.trustRegistry.remove({ registryId: id })]),
      act(actor, 2, [addKey]),
      act({ ...actor, keyRef: second.keyRef }, 3, [registry(id)], 3),
    )
    expect(states.map((state) => [state?.state, state?.outcome?.nonce])).toEqual([
      ['final', undefined],
      ['refused', 1],
      ['final', 1],
      ['final', 2],
    ])
  })

  /** Makes a key of the signer, with the proof of possession for the DID. */
  async function possessed(did: Did, { kind, keyRef, publicKey }: MadeKey) {
    const key = { kind, publicKey: hexOf(Buffer.from(publicKey.slice(2), 'hex')) }
    const genesisHash = hex32Of(Buffer.from(world.ledger.genesisHash.slice(2), 'hex'))
    const bytes = Buffer.from(possessionBytes({ genesisHash, did: hexOfDid(did), key }))
    const [signature] = await signer.client.sign([{ keyRef, bytes }])
    return { key, relationships: 0, possession: hexOf(signature ?? Buffer.alloc(0)) }
  }

  test('a creation with the same service twice is refused at the door', async () => {
    const { creation } = await newDid(signer.client)
    const service = { id: 'files', type: 'Files', endpoints: ['https://example.org'] }
    const asked = signer.client.submitActions([{ ...creation, services: [service, service] } as Action])
    await expect(asked).rejects.toMatchObject({ status: 422, type: 'malformed_action' })
  })

  test('a listener hears of outcomes', async () => {
    const listener = new pg.Client({ connectionString: world.databaseUrl })
    await listener.connect()
    const heard = new Promise((resolve) => listener.once('notification', ({ channel }) => resolve(channel)))
    await listener.query('listen signer_outcomes')
    await finish((await newDid(signer.client)).creation)
    expect(await heard).toBe('signer_outcomes')
    await listener.end()
  })

  test('ledger, fee account and health are told', async () => {
    const status = await signer.client.chainStatus()
    expect(status.genesisHash).toBe(world.ledger.genesisHash)
    expect(status.final).toEqual(status.best)
    expect(Math.abs(status.final.time - Date.now())).toBeLessThan(60_000)
    expect(await signer.client.feeAccount()).toMatchObject({ address: world.feeAccount, isPoor: false })
    expect(await signer.client.health()).toEqual({ status: 'ok' })
  })
})

function hexOfDid(did: Did): Hex32 {
  const hex = didToHex(did)
  if (hex === undefined) throw new Error(`${did} is not of the ledger`)
  return hex
}

function registry(registryId: Hex32) {
  return calls.trustRegistry.initOrUpdate({ registryId, name: 'Kenya', govFramework: 'x' })
}
