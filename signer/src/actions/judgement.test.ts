import { describe, expect, test } from 'vitest'
import type { Action, PalletError } from '../wire.js'
import { isDoneBy, type JudgedAction, type Judgement, judgeItems, nothingYet } from './judgement.js'
import type { ItemOutcome } from './outcomes.js'

const version = 7
const did = 'did:svc:a'
const place = { blockHeight: 5, blockHash: '0x05', extrinsicIndex: 1 }
const error = (name: string, pallet = 'Did'): PalletError => ({ pallet, name, docs: 'why' })

const contents = {
  create: { kind: 'create', salt: '0x', keys: [], controllers: [], services: [] },
  dispatch: { kind: 'dispatch', keyId: 1, keyRef: 'k', calls: ['0x01'] },
  authorised: { kind: 'authorised', keyId: 1, nonce: 3, validUntil: 9, signature: '0x', calls: ['0x01'] },
} as const

function contentOf(kind: Action['kind'], sequence: number): Action {
  const position = { id: `${sequence}`, did, sequence }
  if (kind === 'create') return { ...position, ...contents.create, keys: [], controllers: [], services: [] }
  const calls = ['0x01']
  return kind === 'dispatch'
    ? { ...position, ...contents.dispatch, calls }
    : { ...position, ...contents.authorised, calls }
}

function carried(sequence: number, more: Partial<JudgedAction> = {}, kind: Action['kind'] = 'dispatch'): JudgedAction {
  const signed = { nonce: sequence, call_hash: Buffer.of(1), encoded_tx: Buffer.of(2), transaction_version: version }
  const content = contentOf(kind, sequence)
  return { id: `${sequence}`, did, sequence, position: sequence - 1, content, ...signed, ...more }
}

async function judged(
  actions: JudgedAction[],
  outcomes: ItemOutcome[] | PalletError,
  openBefore: (action: JudgedAction) => string[] = () => [],
): Promise<Judgement> {
  const judgement = nothingYet()
  const ask = async (action: JudgedAction) => openBefore(action)
  await judgeItems({ actions, outcomes, place, transactionVersion: version, openBefore: ask }, judgement)
  return judgement
}

const done: ItemOutcome = { error: undefined }
/** Returns the earlier ones of the same list, as the tables have them: none is settled there yet. */
const beforeIn = (actions: JudgedAction[]) => (action: JudgedAction) =>
  actions.filter(({ sequence }) => sequence < action.sequence).map(({ id }) => id)

describe('items of a batch', () => {
  test('with one failure lead to the refusal of that one, with its error', async () => {
    const actions = [carried(1), carried(2), carried(3)]
    const outcomes = [done, { error: error('NotAuthorized', 'TrustRegistry') }, done]
    const { settlements, again, alone, untimely } = await judged(actions, outcomes, beforeIn(actions))
    expect(settlements.map(({ id, state, outcome }) => [id, state, outcome.error?.name])).toEqual([
      ['1', 'final', undefined],
      ['2', 'refused', 'NotAuthorized'],
      ['3', 'final', undefined],
    ])
    expect({ again, alone, untimely }).toEqual({ again: [], alone: [], untimely: [] })
    expect(settlements[0]?.outcome).toEqual({ ...place, nonce: 1, callHash: '0x01', encodedTx: '0x02' })
  })

  test('are judged each by its own place, also when one of them has left the extrinsic', async () => {
    const { settlements } = await judged([carried(3)], [{ error: error('KeyNotFound') }, done, done])
    expect(settlements).toMatchObject([{ id: '3', state: 'final' }])
  })

  test('of which the ledger tells nothing are an error, not a success', async () => {
    await expect(judged([carried(2)], [done])).rejects.toThrow('no outcome of action 2 at place 1')
    await expect(judged([carried(2, { position: null })], [done, done])).rejects.toThrow('no outcome')
  })

  test('after a bad nonce all later ones of the DID are queued again, and none is refused for it', async () => {
    const actions = [carried(1), carried(2), carried(3)]
    const bad = { error: error('BadNonce') }
    const outcomes = [bad, { error: error('NotFound', 'TrustRegistry') }, bad]
    const { settlements, again, untimely } = await judged(actions, outcomes, beforeIn(actions))
    expect(again).toEqual(['1', '2', '3'])
    expect(settlements).toEqual([])
    expect(untimely).toContain('BadNonce')
  })

  test('a refusal before them leaves them to be judged by themselves', async () => {
    const actions = [carried(1), carried(2)]
    const refused = { error: error('NotFound', 'TrustRegistry') }
    const { settlements, again } = await judged(actions, [refused, refused], beforeIn(actions))
    expect(again).toEqual([])
    expect(settlements.map(({ state }) => state)).toEqual(['refused', 'refused'])
  })

  test.each(['Expired', 'ValidTooLong'])('after %s one is signed afresh, and the clock learns of it', async (name) => {
    const { again, untimely, settlements } = await judged([carried(1)], [{ error: error(name) }])
    expect({ again, untimely, settlements }).toEqual({ again: ['1'], untimely: [name], settlements: [] })
  })

  test('an expired action signed by its owner is refused, and does not correct the clock', async () => {
    const { again, untimely, settlements } = await judged([carried(1, {}, 'authorised')], [{ error: error('Expired') }])
    expect({ again, untimely }).toEqual({ again: [], untimely: [] })
    expect(settlements).toMatchObject([{ state: 'refused', outcome: { error: { name: 'Expired' } } }])
  })

  test('an action signed by its owner waits for a requeued earlier one, and does not correct the clock', async () => {
    const actions = [carried(1), carried(2, {}, 'authorised')]
    const outcomes = [{ error: error('BadNonce') }, { error: error('Expired') }]
    const { again, untimely, settlements } = await judged(actions, outcomes, beforeIn(actions))
    expect({ again, untimely, settlements }).toEqual({ again: ['1', '2'], untimely: ['BadNonce'], settlements: [] })
  })

  test('one that was signed for another version of transactions is signed afresh, one for this version is refused', async () => {
    const bad = [{ error: error('BadSignature') }]
    expect((await judged([carried(1, { transaction_version: version - 1 })], bad)).again).toEqual(['1'])
    expect((await judged([carried(1)], bad)).settlements).toMatchObject([{ state: 'refused' }])
  })

  test('a creation whose DID exists has taken effect', async () => {
    const { settlements } = await judged([carried(1, {}, 'create')], [{ error: error('AlreadyExists') }])
    expect(settlements).toMatchObject([{ state: 'final' }])
    expect(settlements[0]?.outcome.error).toBeUndefined()
  })

  test('an action that took effect is final, whatever is open before it', async () => {
    const { settlements, again } = await judged([carried(1)], [done], () => ['an earlier one'])
    expect({ again, settlements }).toMatchObject({ again: [], settlements: [{ id: '1', state: 'final' }] })
    const exists = [{ error: error('AlreadyExists') }]
    const created = await judged([carried(1, {}, 'create')], exists, () => ['an earlier one'])
    expect(created).toMatchObject({ again: [], settlements: [{ id: '1', state: 'final' }] })
  })

  test('an action that was not signed is not told', async () => {
    const unsigned = { nonce: null, call_hash: null, encoded_tx: null }
    const { settlements } = await judged([carried(1, unsigned, 'create')], [done])
    expect(settlements[0]?.outcome).toEqual(place)
  })
})

describe('an extrinsic that failed as a whole', () => {
  test('sends what it carried alone', async () => {
    const { alone, settlements, again } = await judged([carried(1), carried(2)], error('ExhaustsResources', 'System'))
    expect({ alone, settlements, again }).toEqual({ alone: ['1', '2'], settlements: [], again: [] })
  })

  test('with one action in it refuses that one', async () => {
    const { alone, settlements } = await judged([carried(1)], error('ExhaustsResources', 'System'))
    expect(alone).toEqual([])
    expect(settlements).toMatchObject([
      { id: '1', state: 'refused', outcome: { error: { name: 'ExhaustsResources' } } },
    ])
  })
})

describe('work that the tables have lost is recognised', () => {
  const callHashOf = (calls: readonly string[]) => `hash of ${calls.join()}`
  const acted = (nonce: number, callHash = 'hash of 0x01') => ({ action: { nonce, callHash } })
  const row = (kind: Action['kind'], nonce: number | null = null) => ({ content: contentOf(kind, 1), nonce })

  test('a creation by the creation of its DID, and by nothing that the DID does', () => {
    expect(isDoneBy(row('create'), { action: undefined }, callHashOf)).toBe(true)
    expect(isDoneBy(row('create'), acted(1), callHashOf)).toBe(false)
    expect(isDoneBy(row('dispatch'), { action: undefined }, callHashOf)).toBe(false)
  })

  test('an action by the hash of its calls, and by the nonce where it has one', () => {
    expect(isDoneBy(row('dispatch'), acted(9), callHashOf)).toBe(true)
    expect(isDoneBy(row('dispatch'), acted(9, 'hash of 0x02'), callHashOf)).toBe(false)
    expect(isDoneBy(row('dispatch', 9), acted(9), callHashOf)).toBe(true)
    expect(isDoneBy(row('dispatch', 8), acted(9), callHashOf)).toBe(false)
    expect(isDoneBy(row('authorised'), acted(3), callHashOf)).toBe(true)
    expect(isDoneBy(row('authorised', 4), acted(4), callHashOf)).toBe(false)
  })
})
