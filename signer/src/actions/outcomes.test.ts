import { type ChainEvent, didSvc, hex32Of, hexOf } from '@accredit/chain'
import { describe, expect, test } from 'vitest'
import { effectsOf, itemOutcomes, verdictOf } from './outcomes.js'

describe('the verdict on an item’s error', () => {
  test.each(['BadNonce', 'Expired', 'ValidTooLong'])('after %s an action is signed afresh', (name) => {
    expect(verdictOf('dispatch', { pallet: 'Did', name, docs: '' }, false)).toBe('again')
  })

  test.each(['BadNonce', 'Expired', 'BadSignature'])('after %s what its owner signed is refused', (name) => {
    expect(verdictOf('authorised', { pallet: 'Did', name, docs: '' }, true)).toBe('refused')
  })

  test('an error that a new signature does not mend is a refusal', () => {
    expect(verdictOf('dispatch', { pallet: 'Did', name: 'KeyNotFound', docs: '' }, false)).toBe('refused')
    expect(verdictOf('dispatch', { pallet: 'TrustRegistry', name: 'Expired', docs: '' }, false)).toBe('refused')
    expect(verdictOf('create', { pallet: 'Did', name: 'Expired', docs: '' }, false)).toBe('refused')
    expect(verdictOf('dispatch', { pallet: 'Did', name: 'KeyNotFound', docs: '' }, true)).toBe('refused')
  })

  test('only a creation has taken effect when what it makes exists, and only the DID itself', () => {
    const exists = { pallet: 'Did', name: 'AlreadyExists', docs: '' }
    expect(verdictOf('create', exists, false)).toBe('final')
    expect(verdictOf('create', { ...exists, pallet: 'TrustRegistry' }, false)).toBe('refused')
    expect(verdictOf('dispatch', exists, false)).toBe('refused')
  })
})

const payer = '0xaa'
const ids = [hex32Of(new Uint8Array(32).fill(1)), hex32Of(new Uint8Array(32).fill(2))] as const
const callHash = hexOf(new Uint8Array(32).fill(9))

const event = (
  extrinsic: number | undefined,
  pallet: string,
  name: string,
  data: ChainEvent['data'] = {},
): ChainEvent => ({
  extrinsic,
  pallet,
  name,
  data,
})
const completed = (extrinsic: number) => event(extrinsic, 'Utility', 'ItemCompleted')
const failed = (extrinsic: number, name = 'NotFound'): ChainEvent => ({
  ...event(extrinsic, 'Utility', 'ItemFailed'),
  error: { pallet: 'TrustRegistry', name, docs: 'why' },
})
const created = (extrinsic: number | undefined, did: string, submitter = payer) =>
  event(extrinsic, 'Did', 'Created', { did, submitter })
const dispatched = (extrinsic: number, did: string, nonce: number, submitter = payer) =>
  event(extrinsic, 'Did', 'Dispatched', { did, nonce, callHash, submitter })

describe('the items of a batch', () => {
  test('have an outcome each, in their order, failed ones with their error, and those of others have none here', () => {
    const events = [created(1, ids[0]), completed(1), failed(1), completed(2), completed(1)]
    expect(itemOutcomes(events, 1)).toEqual([
      { error: undefined },
      { error: { pallet: 'TrustRegistry', name: 'NotFound', docs: 'why' } },
      { error: undefined },
    ])
  })

  test('have one error together when the extrinsic failed, by its name where the ledger does not explain', () => {
    expect(itemOutcomes([completed(1), event(1, 'System', 'ExtrinsicFailed')], 1)).toEqual({
      pallet: 'System',
      name: 'ExtrinsicFailed',
      docs: '',
    })
    expect(itemOutcomes([completed(1), event(2, 'System', 'ExtrinsicFailed')], 1)).toHaveLength(1)
  })

  test('are told by the events of the ledger’s own pallets, and by none that is only called the same', () => {
    const others = ['ExtrinsicFailed', 'ItemCompleted', 'ItemFailed'].map((name) => event(1, 'TrustRegistry', name))
    expect(itemOutcomes([...others, completed(1)], 1)).toEqual([{ error: undefined }])
  })
})

describe('a call that took effect', () => {
  test('is told with its place in the batch, failed items counted', () => {
    const events = [created(1, ids[0]), completed(1), failed(1), dispatched(1, didSvc(ids[1]), 4), completed(1)]
    expect(effectsOf(events, payer)).toEqual([
      { extrinsic: 1, item: 0, did: didSvc(ids[0]), action: undefined },
      { extrinsic: 1, item: 2, did: didSvc(ids[1]), action: { nonce: 4, callHash } },
    ])
  })

  test('is counted by extrinsic', () => {
    const events = [completed(1), created(2, ids[0]), completed(2), dispatched(1, ids[1], 1), completed(1)]
    expect(effectsOf(events, payer).map(({ extrinsic, item }) => [extrinsic, item])).toEqual([
      [2, 0],
      [1, 1],
    ])
  })

  test('counts as ours only in our extrinsics, and only if it makes a DID or acts for one', () => {
    const events = [
      created(1, ids[0], '0xbb'),
      dispatched(1, ids[0], 1, '0xbb'),
      created(undefined, ids[0]),
      event(1, 'Did', 'Deactivated', { did: ids[0], submitter: payer }),
    ]
    expect(effectsOf(events, payer)).toEqual([])
  })
})
