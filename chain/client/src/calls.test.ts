import { describe, expect, test } from 'vitest'
import {
  callHash,
  creationBytes,
  didCreate,
  didIdOf,
  dispatchAs,
  dispatchBytes,
  forceBatch,
  possessionBytes,
} from './authorisation.js'
import { type Hex, hexOf, parseHex32 } from './bytes.js'
import { calls } from './calls.js'
import { describeCalls, nameCalls } from './describe.js'
import { type Did, didKey, didSvc } from './did.js'
import type { IssuerOp, PriceOp } from './schemas-update.js'
import { chainTypes } from './types.js'

const id = parseHex32('11'.repeat(32)) ?? never()
const schema = parseHex32('5c'.repeat(32)) ?? never()
const ed25519 = { kind: 'Ed25519', publicKey: `0x${'aa'.repeat(32)}` } as const
const bbs = { kind: 'Bls12381G2', publicKey: `0x${'bb'.repeat(96)}` } as const
const signature: Hex = `0x${'ee'.repeat(64)}`
const a = didSvc(parseHex32('0a'.repeat(32)) ?? never())
const b: Did = didKey(ed25519) ?? never()
const submitter = '5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY'
const service = { id: 's', type: 'Type', endpoints: ['https://example.org', '0x12'] }

const every: readonly (readonly [Uint8Array, string, Record<string, unknown>])[] = [
  [
    calls.did.addKeys({
      did: id,
      keys: [
        { key: ed25519, relationships: 0, possession: signature },
        { key: bbs, relationships: 2 },
      ],
    }),
    'did.addKeys',
    {
      did: id,
      keys: [
        { key: { Ed25519: ed25519.publicKey }, relationships: 0, possession: signature },
        { key: { Bls12381G2: bbs.publicKey }, relationships: 2, possession: null },
      ],
    },
  ],
  [
    calls.did.rotateKey({ did: id, old: 1, new: { key: ed25519, relationships: 7, possession: signature } }),
    'did.rotateKey',
    { did: id, old: 1, new: { key: { Ed25519: ed25519.publicKey }, relationships: 7, possession: signature } },
  ],
  [calls.did.revokeKeys({ did: id, keys: [3, 1, 3] }), 'did.revokeKeys', { did: id, keys: [1, 3] }],
  [
    calls.did.addControllers({ did: id, controllers: [b, a, b] }),
    'did.addControllers',
    { did: id, controllers: [a, b] },
  ],
  [calls.did.removeControllers({ did: id, controllers: [a] }), 'did.removeControllers', { did: id, controllers: [a] }],
  [
    calls.did.setService({ did: id, service }),
    'did.setService',
    { did: id, service: { id: 's', serviceType: 'Type', endpoints: service.endpoints } },
  ],
  [calls.did.removeService({ did: id, id: 's' }), 'did.removeService', { did: id, id: 's' }],
  [calls.did.deactivate({ did: id }), 'did.deactivate', { did: id }],
  [
    calls.trustRegistry.initOrUpdate({ registryId: id, name: '0x12', govFramework: 'https://example.org/ü' }),
    'trustRegistry.initOrUpdateTrustRegistry',
    { registryId: id, name: '0x12', govFramework: 'https://example.org/ü' },
  ],
  ...(['suspendIssuers', 'unsuspendIssuers', 'suspendVerifiers', 'unsuspendVerifiers'] as const).map(
    (name) =>
      [
        calls.trustRegistry[name]({ registryId: id, dids: [b, a] }),
        `trustRegistry.${name}`,
        { registryId: id, [name.endsWith('Issuers') ? 'issuers' : 'verifiers']: [a, b] },
      ] as const,
  ),
  [
    calls.trustRegistry.updateDelegatedIssuers({
      registryId: id,
      delegated: {
        Modify: new Map([
          [b, 'Remove'],
          [a, 'Add'],
        ]),
      },
    }),
    'trustRegistry.updateDelegatedIssuers',
    { registryId: id, delegated: { Modify: { [a]: 'Add', [b]: 'Remove' } } },
  ],
  [
    calls.trustRegistry.updateDelegatedIssuers({ registryId: id, delegated: { Set: [b, a] } }),
    'trustRegistry.updateDelegatedIssuers',
    { registryId: id, delegated: { Set: [a, b] } },
  ],
  [calls.trustRegistry.remove({ registryId: id }), 'trustRegistry.removeTrustRegistry', { registryId: id }],
  [
    calls.trustRegistry.transfer({ registryId: id, newConvener: b }),
    'trustRegistry.transferTrustRegistry',
    { registryId: id, newConvener: b },
  ],
  [calls.trustRegistry.accept({ registryId: id }), 'trustRegistry.acceptTrustRegistry', { registryId: id }],
  [
    calls.revocation.create({
      registryId: id,
      policy: [b, a],
      addOnly: true,
      kind: { StatusList: { length: 131_072 } },
    }),
    'revocation.create',
    { registryId: id, policy: [a, b], addOnly: true, kind: { StatusList: { length: 131_072 } } },
  ],
  [
    calls.revocation.setStatus({ registryId: id, revoke: [70_000, 5, 5] }),
    'revocation.setStatus',
    { registryId: id, revoke: [5, 70_000], unrevoke: [] },
  ],
  [
    calls.revocation.updateAccumulator({
      registryId: id,
      expectedVersion: 3,
      accumulated: '0x0102',
      removals: [7, 2, 7],
      witnessUpdateInfo: '0x',
    }),
    'revocation.updateAccumulator',
    {
      registryId: id,
      expectedVersion: 3,
      accumulated: '0x0102',
      additions: [],
      removals: [2, 7],
      witnessUpdateInfo: '',
    },
  ],
  [calls.revocation.remove({ registryId: id }), 'revocation.remove', { registryId: id }],
]

test('bytes that are no call, and a call with bytes left over, have no name', () => {
  const call = calls.revocation.remove({ registryId: id })
  expect(nameCalls([call])).toEqual([{ pallet: 'revocation', call: 'remove' }])
  expect(() => nameCalls([Uint8Array.of(255, 255)])).toThrow()
  expect(() => nameCalls([Uint8Array.of(...call, 0)])).toThrow('left over')
})

describe('a call builder', () => {
  test.each(every.map(([bytes, name, parameters]) => ({ name, bytes, parameters })))(
    'encodes $name as the runtime decodes it, sets sorted and without doubles',
    ({ bytes, name, parameters }) => {
      const [pallet, call] = name.split('.')
      expect(describeCalls([bytes])).toEqual([{ pallet, call, parameters }])
      expect(nameCalls([bytes])).toEqual([{ pallet, call }])
    },
  )

  test('covers every call of the three pallets but those that sign for others', () => {
    const covered = new Set(every.map(([, name]) => name))
    covered.add('did.create').add('did.dispatchAs').add('trustRegistry.setSchemasMetadata')
    const missing = chainTypes()
      .callNames()
      .filter((name) => /^(did|trustRegistry|revocation)\./.test(name) && !covered.has(name))
    expect(missing).toEqual([])
  })

  test('encodes the whole grammar of a schemas update', () => {
    const usd = new Map([['USD', 1_000_000n]])
    const metadata = {
      issuers: new Map([
        [b, usd],
        [a, new Map()],
      ]),
      verifiers: [b, a],
    }
    const plainMetadata = { issuers: { [a]: {}, [b]: { USD: 1_000_000 } }, verifiers: [a, b] }
    const other = parseHex32('5d'.repeat(32)) ?? never()
    const operations = [
      [{ Set: metadata }, { Set: plainMetadata }],
      [{ Add: { issuers: new Map() } }, { Add: { issuers: {}, verifiers: null } }],
      ['Remove', 'Remove'],
      ['Discard', 'Discard'],
      [
        { Modify: { issuers: { Set: metadata.issuers } } },
        { Modify: { issuers: { Set: plainMetadata.issuers }, verifiers: null } },
      ],
      [{ Ensure: { verifiers: { Set: [] } } }, { Ensure: { issuers: null, verifiers: { Set: [] } } }],
      [
        {
          Modify: {
            verifiers: {
              Modify: new Map([
                [b, 'Discard'],
                [a, 'Ensure'],
              ] as const),
            },
          },
        },
        { Modify: { issuers: null, verifiers: { Modify: { [a]: 'Ensure', [b]: 'Discard' } } } },
      ],
      [
        {
          Modify: {
            issuers: {
              Modify: new Map<Did, IssuerOp>([
                [
                  a,
                  {
                    Modify: new Map<string, PriceOp>([
                      ['EUR', 'Remove'],
                      ['CHF', { Set: 2n ** 70n }],
                      ['USD', { Add: 0n }],
                    ]),
                  },
                ],
                [b, { Set: usd }],
              ]),
            },
          },
        },
        {
          Modify: {
            issuers: {
              Modify: {
                [a]: { Modify: { CHF: { Set: String(2n ** 70n) }, EUR: 'Remove', USD: { Add: 0 } } },
                [b]: { Set: { USD: 1_000_000 } },
              },
            },
            verifiers: null,
          },
        },
      ],
    ] as const
    for (const [operation, plain] of operations) {
      const update = { Modify: new Map([[other, 'Discard'] as const, [schema, operation] as const]) }
      const [described] = describeCalls([
        calls.trustRegistry.setSchemasMetadata({ registryId: id, update, expectedVersion: 3 }),
      ])
      expect(described?.parameters).toEqual({
        registryId: id,
        update: { Modify: { [schema]: plain, [other]: 'Discard' } },
        expectedVersion: 3,
      })
    }
    const [set] = describeCalls([
      calls.trustRegistry.setSchemasMetadata({ registryId: id, update: { Set: new Map([[schema, metadata]]) } }),
    ])
    expect(set?.parameters).toEqual({
      registryId: id,
      update: { Set: { [schema]: plainMetadata } },
      expectedVersion: null,
    })
  })
})

describe('an authorisation', () => {
  const creation = { salt: id, keys: [{ key: ed25519, relationships: 0 }], controllers: [b, a], services: [service] }
  const place = { genesisHash: schema, submitter }
  const remove = calls.revocation.remove({ registryId: id })
  const dispatch = {
    ...place,
    transactionVersion: 1,
    did: a,
    keyId: 1,
    nonce: 7,
    validUntil: 2 ** 41,
    calls: [remove, remove],
  }

  test('of each purpose begins with a tag of its own', () => {
    const tags = [
      creationBytes({ ...creation, ...place }),
      dispatchBytes(dispatch),
      possessionBytes({ genesisHash: schema, did: id, key: ed25519 }),
    ].map((bytes) => /^[\x20-\x7e]+\/v1/.exec(new TextDecoder().decode(bytes))?.[0])
    expect(tags).toEqual(['accredit/did/create/v1', 'accredit/did/dispatch/v1', 'accredit/did/possess/v1'])
  })

  test('of an action changes with every one of its fields', () => {
    const changed = [
      dispatch,
      { ...dispatch, genesisHash: id },
      { ...dispatch, submitter: '5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty' },
      { ...dispatch, transactionVersion: 2 },
      { ...dispatch, did: b },
      { ...dispatch, keyId: 2 },
      { ...dispatch, nonce: 8 },
      { ...dispatch, validUntil: dispatch.validUntil + 1 },
      { ...dispatch, calls: [remove] },
    ]
    expect(new Set(changed.map((one) => hexOf(dispatchBytes(one)))).size).toBe(changed.length)
  })

  test('takes encoded calls as they are, wherever a list of calls stands', () => {
    const [single] = describeCalls([remove])
    const action = dispatchAs({ ...dispatch, signature })
    expect(describeCalls([action])[0]?.parameters).toEqual({
      authorization: { did: a, keyId: 1, nonce: 7, validUntil: 2 ** 41, signature },
      calls: [single, single],
    })
    expect(describeCalls([forceBatch([action, remove])])[0]?.parameters).toEqual({
      calls: describeCalls([action, remove]),
    })
    expect(callHash([remove])).not.toBe(callHash([remove, remove]))
  })

  test('of a creation is for the DID that its first key and salt make', () => {
    const [described] = describeCalls([didCreate({ ...creation, signature })])
    expect(described).toMatchObject({ call: 'create', parameters: { salt: id, controllers: [a, b], signature } })
    const made = didIdOf(ed25519, id)
    expect(didIdOf(ed25519, id)).toBe(made)
    expect(
      new Set([made, didIdOf(ed25519, schema), didIdOf({ ...ed25519, publicKey: `0x${'ab'.repeat(32)}` }, id)]).size,
    ).toBe(3)
  })
})

function never(): never {
  throw new Error('a fixture is wrong')
}
