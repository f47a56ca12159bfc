import { expect, test } from 'vitest'
import { hex32Of } from './bytes.js'
import { calls } from './calls.js'
import { describeCalls, describedParams } from './describe.js'
import { type Did, didKey, didSvc } from './did.js'
import { didCallNamed, didCalls } from './did-calls.js'
import { ParamError, type ParamProblem } from './params/param-error.js'
import type { IssuerOp } from './schemas-update.js'
import { chainTypes } from './types.js'

const id = (byte: number) => hex32Of(new Uint8Array(32).fill(byte))
const [registryId, schema, svc] = [id(1), id(2), didSvc(id(3))]
const key = didKey({ kind: 'Ed25519', publicKey: id(4) }) ?? svc

const encode = (name: string, params: unknown) => {
  const call = didCallNamed(name)
  if (call === undefined) throw new Error(`no call ${name}`)
  return call.read(params).encoded
}

test('every call of the three pallets is there by its name in the metadata, but for those of accounts', () => {
  const ofMetadata = chainTypes()
    .callNames()
    .filter((name) => /^(did|trustRegistry|revocation)\./.test(name) && !/^did\.(create|dispatchAs)$/.test(name))
  expect(didCalls().map(({ name }) => didCallNamed(name)?.name)).toEqual(didCalls().map(({ name }) => name))
  expect(didCalls()).toHaveLength(ofMetadata.length)
  expect(didCalls().filter(({ summary }) => summary === '')).toEqual([])
})

test.each([
  'TrustRegistry.set_schemas_metadata',
  'set_schemas_metadata',
  'SetSchemasMetadata',
  'trustRegistry.setSchemasMetadata',
])('%s names the same call', (name) => expect(didCallNamed(name)?.name).toBe('TrustRegistry.set_schemas_metadata'))

test.each(['', '.', 'System.remark', 'Did.create', 'dispatch_as', 'TrustRegistry.', 'toString', 'a.b.c'])(
  '%s names none',
  (name) => expect(didCallNamed(name)).toBeUndefined(),
)

test.each(['did', 'Did', 'DID', 'did_', '_did', 'd-id'])('%s is the parameter did, or none', (name) => {
  const read = () => didCallNamed('Did.deactivate')?.read({ [name]: svc }).fields
  if (name === 'd-id') expect(read).toThrow(ParamError)
  else expect(read()).toEqual(new Map([['did', id(3)]]))
})

test('one parameter in two spellings is refused', () => {
  expect(() => encode('Did.deactivate', { did: svc, DID: didSvc(id(5)) })).toThrow('params.did is given twice')
})

test('parameters as JSON give the bytes that the builders give', () => {
  const update = {
    Modify: {
      [schema]: {
        Ensure: {
          issuers: { Modify: { [svc]: { Set: { USD: '1500000' } }, [key]: 'Discard' } },
          verifiers: { Set: [key] },
        },
      },
    },
  }
  const built = calls.trustRegistry.setSchemasMetadata({
    registryId,
    update: {
      Modify: new Map([
        [
          schema,
          {
            Ensure: {
              issuers: {
                Modify: new Map<Did, IssuerOp>([
                  [svc, { Set: new Map([['USD', 1_500_000n]]) }],
                  [key, 'Discard'],
                ]),
              },
              verifiers: { Set: [key] },
            },
          },
        ],
      ]),
    },
    expectedVersion: 7,
  })
  expect(encode('set_schemas_metadata', { registryId, update, expectedVersion: 7 })).toEqual(built)
  expect(encode('set_schemas_metadata', { registry_id: registryId.slice(2), update, expected_version: 7 })).toEqual(
    built,
  )
})

test('ids are read with or without 0x, in either case, wherever they stand', () => {
  const update = (one: string) => ({ Modify: { [one]: 'Discard' } })
  const expected = encode('set_schemas_metadata', { registryId, update: update(schema) })
  const spellings = (text: string) => [text, text.toUpperCase(), text.slice(2), text.slice(2).toUpperCase()]
  for (const [index, one] of spellings(schema).entries())
    expect(encode('set_schemas_metadata', { registryId: spellings(registryId)[index], update: update(one) })).toEqual(
      expected,
    )
})

test('calls of all three pallets survive the way from JSON to bytes and back', () => {
  const samples: [string, object][] = [
    ['TrustRegistry.init_or_update_trust_registry', { registryId, name: 'Kenya', govFramework: 'https://x' }],
    ['TrustRegistry.suspend_issuers', { registryId, issuers: [svc] }],
    ['TrustRegistry.update_delegated_issuers', { registryId, delegated: { Modify: { [svc]: 'Add' } } }],
    ['Revocation.set_status', { registryId, revoke: [3, 5], unrevoke: [] }],
    ['Revocation.create', { registryId, policy: [svc], addOnly: false, kind: { StatusList: { length: 131_072 } } }],
    ['Did.revoke_keys', { did: svc, keys: [2] }],
    [
      'TrustRegistry.set_schemas_metadata',
      {
        registryId,
        update: { Modify: { [schema]: { Ensure: { issuers: { Modify: { [svc]: { Set: { USD: 5 } } } } } } } },
      },
    ],
    ['Did.set_service', { did: svc, service: { id: 'files', serviceType: 'Files', endpoints: ['https://x'] } }],
  ]
  for (const [name, params] of samples) {
    const [described] = describeCalls([encode(name, params)])
    const said = described && describedParams(described)
    expect(said).toEqual(name.startsWith('Did.') ? { ...params, did: id(3) } : params)
    if (!name.startsWith('Did.')) expect(encode(name, said)).toEqual(encode(name, params))
  }
})

test.each([
  ['suspend_issuers', { registryId }, 'params.issuers is missing'],
  ['suspend_issuers', { registryId, issuers: [svc, svc] }, 'params.issuers[1] is given twice'],
  ['suspend_issuers', { registryId, issuers: ['did:web:'] }, 'params.issuers[0] must be a DID'],
  ['suspend_issuers', { registryId: '0x12', issuers: [] }, 'params.registryId must be 32 bytes'],
  ['suspend_issuers', { registryId, issuers: [], extra: 1 }, 'params.extra is not known: expected registryId, issuers'],
  ['suspend_issuers', [], 'params must be an object'],
  ['set_status', { registryId, revoke: [-1], unrevoke: [] }, 'params.revoke[0] must be a whole number of at most 32'],
  ['set_status', { registryId, revoke: [2 ** 32], unrevoke: [] }, 'params.revoke[0] must be a whole number'],
  ['set_status', { registryId, revoke: [1.5], unrevoke: [] }, 'params.revoke[0] must be a whole number'],
  ['deactivate', { did: key }, 'params.did must be a DID of this ledger'],
  ['update_delegated_issuers', { registryId, delegated: 'Set' }, 'params.delegated must be one of Set, Modify'],
  [
    'set_schemas_metadata',
    {
      registryId,
      update: { Modify: { [schema]: { Ensure: { issuers: { Modify: { [svc]: { Set: { USD: -1 } } } } } } } },
    },
    `params.update.Modify.${schema}.Ensure.issuers.Modify.${svc}.Set.USD must be a whole number of at most 128 bits`,
  ],
  [
    'set_schemas_metadata',
    { registryId, update: { Modify: { [schema]: 'Remove', [schema.toUpperCase().replace('0X', '')]: 'Remove' } } },
    'is given twice',
  ],
  [
    'init_or_update_trust_registry',
    { registryId, name: 'a\u0001', govFramework: '' },
    'params.name must not hold control',
  ],
  [
    'init_or_update_trust_registry',
    { registryId, name: 'a\u202eb', govFramework: '' },
    'params.name must not hold control',
  ],
  [
    'init_or_update_trust_registry',
    { registryId, name: 'a'.repeat(257), govFramework: '' },
    'params.name has 257 bytes',
  ],
  ['init_or_update_trust_registry', { registryId, name: ' ', govFramework: '' }, 'params.name must not be empty'],
  [
    'init_or_update_trust_registry',
    { registryId, name: 'a', govFramework: 'x\n' },
    'params.govFramework must not hold',
  ],
])('%s refuses %j, naming the member', (name, params, message) => {
  expect(() => encode(name, params)).toThrow(ParamError)
  expect(() => encode(name, params)).toThrow(message)
})

const files = { id: 'files', serviceType: 'Files', endpoints: ['https://x.example'] }

test.each([
  [{ id: `${svc}#didcomm` }, 'params.service.id must be a fragment of a URI without its #'],
  [{ id: '#linked' }, 'params.service.id must be a fragment'],
  [{ id: 'hub with space' }, 'params.service.id must be a fragment'],
  [{ id: '' }, 'params.service.id'],
  [{ serviceType: 'Linked Domains' }, 'params.service.serviceType must be a name of letters'],
  [{ endpoints: ['https://x.example', 'not a uri at all'] }, 'params.service.endpoints[1] must be a URI'],
])(
  'a service with %j is refused by the place of what is wrong, and may be removed as it is stored',
  (wrong, message) => {
    expect(() => encode('set_service', { did: svc, service: { ...files, ...wrong } })).toThrow(message)
    expect(() => encode('set_service', { did: svc, service: files })).not.toThrow()
    const { id } = { ...files, ...wrong }
    expect(() => encode('remove_service', { did: svc, id })).not.toThrow()
  },
)

test('all that is wrong is told at once, each with its place, and no more than twenty of it', () => {
  const problems = (name: string, params: unknown): readonly ParamProblem[] => {
    try {
      didCallNamed(name)?.read(params, ['actions', 1, 'params'])
      return []
    } catch (error) {
      if (error instanceof ParamError) return error.problems
      throw error
    }
  }
  const wrong = {
    registry_id: '0x12',
    update: { Modify: { [schema]: { Modify: { issuers: null, verifers: { Modify: { [svc]: 'Ad' } } } } } },
    expectedVersoin: 3,
  }
  const inSchema = ['actions', 1, 'params', 'update', 'Modify', schema, 'Modify']
  expect(problems('set_schemas_metadata', wrong)).toMatchObject([
    { kind: 'unknown', place: ['actions', 1, 'params', 'expectedVersoin'], known: expect.arrayContaining(['update']) },
    { kind: 'wrong', place: ['actions', 1, 'params', 'registryId'] },
    { kind: 'unknown', place: [...inSchema, 'verifers'], known: ['issuers', 'verifiers'] },
    { kind: 'blank', place: [...inSchema, 'issuers'] },
  ])
  const many = problems('suspend_issuers', { registryId, issuers: Array(500_000).fill(0) })
  expect(many.map(({ place }) => place.at(-1))).toEqual(Array.from({ length: 20 }, (_, index) => index))
})

test('the schema of a call names its members and which of them may be left out', () => {
  expect(didCallNamed('set_schemas_metadata')?.paramsSchema).toMatchObject({
    required: ['registryId', 'update'],
    additionalProperties: false,
    properties: {
      registryId: { pattern: '^(0[xX])?[0-9a-fA-F]{64}$' },
      update: { anyOf: [{ required: ['Set'] }, { required: ['Modify'] }] },
    },
  })
})

interface Shape {
  description?: string
  properties?: Record<string, Shape>
  items?: Shape
  propertyNames?: Shape
  anyOf?: Shape[]
}

/** Returns the places of text in the schema of a call. */
function textsIn({ description, properties = {}, items, propertyNames, anyOf = [] }: Shape, path: string): string[] {
  return [
    ...(description?.startsWith('Text') ? [`${path}: ${description}`] : []),
    ...Object.entries(properties).flatMap(([name, inner]) => textsIn(inner, `${path}.${name}`)),
    ...[items, propertyNames].flatMap((inner) => (inner ? textsIn(inner, `${path}[]`) : [])),
    ...anyOf.flatMap((inner) => textsIn(inner, path)),
  ]
}

test('each parameter that takes text takes it as it is; other bytes are keys, signatures and accumulators', () => {
  const texts = didCalls().flatMap(({ name, paramsSchema }) => textsIn(paramsSchema, name))
  const others = new Set(texts.filter((text) => !text.endsWith('as it is')).map((text) => text.split(':')[0]))
  expect([...others].sort()).toEqual(BINARY)
  const as = (hex: string) => Buffer.from(new TextEncoder().encode(hex)).toString('hex')
  const holds = (name: string, params: object) => Buffer.from(encode(name, params)).toString('hex')
  for (const written of ['0x01', '0xzz', '0x']) {
    expect(holds('init_or_update_trust_registry', { registryId, name: written, govFramework: written })).toContain(
      as(written),
    )
    const service = { id: written, serviceType: written, endpoints: [`urn:${written}`] }
    expect(holds('set_service', { did: svc, service }).split(as(written))).toHaveLength(4)
  }
})

const BINARY = [
  'Revocation.create.kind.Accumulator.accumulated',
  'Revocation.create.kind.Accumulator.publicKey',
  'Revocation.update_accumulator.accumulated',
  'Revocation.update_accumulator.witnessUpdateInfo',
]
