import { calls, type Did, describeCalls, didKey, type IssuerOp, schemaId } from '@accredit/chain'
import { expect, test } from 'vitest'
import { ApiError } from '../../platform/errors.js'
import { bulkParts } from './bulk-calls.js'
import { parseRows, problemsOf, rightsIn } from './bulk-rows.js'

const [degree, diploma] = ['https://schema.example/degree.json', 'https://schema.example/diploma.json']
const registry = schemaId('https://registry.example')

function did(index: number): Did {
  const made = didKey({ kind: 'Ed25519', publicKey: `0x${index.toString(16).padStart(64, '0')}` })
  if (made === undefined) throw new TypeError('any 32 bytes are an Ed25519 key')
  return made
}
const row = (index: number, more: object = {}) => ({
  did: did(index),
  name: `№ ${index}`,
  issuerSchemas: [degree],
  ...more,
})
const rows = (count: number, more?: (index: number) => object) =>
  Array.from({ length: count }, (_, index) => row(index, more?.(index)))

const parse = (given: readonly unknown[]) => parseRows(given, 0)

function refused(given: readonly unknown[]): ApiError | undefined {
  try {
    parse(given)
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return error
    throw error
  }
  return undefined
}

const refusal = async (given: readonly unknown[]): Promise<string> => refused(given)?.message ?? 'nothing is refused'

test.each<[string, unknown, RegExp]>([
  ['is no object', 7, /must be an object/],
  ['has no name', { did: did(1), issuerSchemas: [degree] }, /name/],
  ['has a name of controls', row(1, { name: 'a\u0007' }), /control/],
  ['has a name that turns the writing direction', row(1, { name: 'a\u202eb' }), /control/],
  ['has a broken name', row(1, { name: 'a\ufffd' }), /broken/],
  ['has a long name', row(1, { name: 'x'.repeat(257) }), /name/],
  ['has no DID', row(1, { did: 'did:web:' }), /well-formed DID/],
  ['has a bad logo', row(1, { logoUrl: 'ftp://example.org' }), /logoUrl/],
  ['names no schema', row(1, { issuerSchemas: [] }), /no schema/],
  ['names a bad schema', row(1, { issuerSchemas: ['degree'] }), /issuerSchemas/],
  [
    'names 101 schemas',
    row(1, { verifierSchemas: Array.from({ length: 101 }, (_, i) => `${degree}#${i}`) }),
    /verifierSchemas/,
  ],
  [
    'prices what it does not issue',
    row(1, { prices: [{ schema: diploma, currency: 'EUR', digits: 1 }] }),
    /issuerSchemas/,
  ],
  ['has a foreign currency', row(1, { prices: [{ schema: degree, currency: '€', digits: 1 }] }), /currency/],
  ['has a negative price', row(1, { prices: [{ schema: degree, currency: 'EUR', digits: -1 }] }), /digits/],
  ['has a fractional price', row(1, { prices: [{ schema: degree, currency: 'EUR', digits: '1.5' }] }), /digits/],
  ['has a huge price', row(1, { prices: [{ schema: degree, currency: 'EUR', digits: `${2n ** 128n}` }] }), /2\^128/],
  [
    'has two prices in one currency',
    row(1, { prices: [1, 2].map((digits) => ({ schema: degree, currency: 'EUR', digits })) }),
    /two/,
  ],
])('a row that %s is named', async (_what, bad, reason) => {
  const message = await refusal([row(5), bad, row(6)])
  expect(message).toMatch(/^Nothing was written, one row is wrong: row 2: /)
  expect(message).toMatch(reason)
})

test('all bad rows are found, the first twenty are named, and those whose DID came before', async () => {
  expect(await refusal([row(1), row(2), row(1), row(2), { ...row(3), name: '' }])).toMatch(
    /^Nothing was written, 3 rows are wrong: row 3: its did stands in row 1 already; row 4: its did stands in row 2 already; row 5: name /,
  )
  expect(await refusal(Array.from({ length: 30 }, () => null))).toMatch(
    /30 rows are wrong: row 1: .*; row 20: [^;]*; and 10 more$/,
  )
  const twenty = await refusal(Array.from({ length: 20 }, () => null))
  expect(twenty).toContain('row 20: ')
  expect(twenty).not.toContain('more')
})

test('all faults of all rows are told, each at its member', () => {
  const none = { did: 'did:web:', name: 'a\u0007', logoUrl: 'ftp://example.org', issuerSchemas: [] }
  const priced = { ...none, issuerSchemas: [degree], prices: [{ schema: diploma, currency: 'EUR', digits: 1 }] }
  const shapeless = { did: 7, issuerSchemas: 'degree' }
  const price = { schema: degree, currency: 'EUR', digits: 100 }
  const prices = [
    { ...price, digits: '1e3' },
    { ...price, schema: diploma, digits: '1.5' },
    price,
    { ...price, currency: 'CHF', digits: '-1' },
  ]
  const given = [row(1), none, priced, shapeless, row(1), row(2, { prices })]
  expect(problemsOf(given, 0)).toEqual(refused(given)?.members.problems)
  expect(problemsOf(given, 0)).toEqual([
    { path: '/1/did', message: expect.stringContaining('well-formed DID') },
    { path: '/1/name', message: expect.stringContaining('control') },
    { path: '/1/logoUrl', message: expect.stringContaining('http or https') },
    { path: '/1', message: expect.stringContaining('no schema') },
    { path: '/2/did', message: expect.stringContaining('well-formed DID') },
    { path: '/2/name', message: expect.stringContaining('control') },
    { path: '/2/logoUrl', message: expect.stringContaining('http or https') },
    { path: '/2/prices/0/schema', message: expect.stringContaining('not among its issuerSchemas') },
    { path: '/3/name', message: expect.stringContaining('is missing') },
    { path: '/3/did', message: expect.stringContaining('did') },
    { path: '/3/issuerSchemas', message: expect.stringContaining('issuerSchemas') },
    { path: '/4', message: 'its did stands in row 1 already' },
    { path: '/5/prices/0/digits', message: expect.stringContaining('whole number') },
    { path: '/5/prices/1/schema', message: expect.stringContaining('not among its issuerSchemas') },
    { path: '/5/prices/1/digits', message: expect.stringContaining('whole number') },
    { path: '/5/prices/2/currency', message: expect.stringContaining('two in EUR') },
    { path: '/5/prices/3/digits', message: expect.stringContaining('whole number') },
  ])
  expect(refused(Array.from({ length: 30 }, () => shapeless))?.members.problems).toHaveLength(20)
})

test('every repetition of a DID names the row where it stood first', async () => {
  expect(await refusal([row(1), row(1), row(1)])).toMatch(
    /2 rows are wrong: row 2: its did stands in row 1 already; row 3: its did stands in row 1 already$/,
  )
})

test('faults of schemas are told at the role, and prices of a row whose schemas cannot be read only for their amounts', () => {
  const price = { schema: degree, currency: 'EUR', digits: 100 }
  const prices = [price, { ...price, digits: '1e3' }]
  const given = [
    row(1, { verifierSchemas: [diploma], name: 'a\u0007' }),
    row(2, { issuerSchemas: ['degree'], verifierSchemas: ['diploma'], prices }),
    { did: did(3), name: 'Name', verifierSchemas: [degree], prices: [price] },
  ]
  expect(problemsOf(given, 0)).toEqual([
    { path: '/0/name', message: expect.stringContaining('control') },
    { path: '/1/issuerSchemas', message: expect.stringContaining('issuerSchemas') },
    { path: '/1/verifierSchemas', message: expect.stringContaining('verifierSchemas') },
    { path: '/1/prices/1/digits', message: expect.stringContaining('whole number') },
    { path: '/2/prices/0/schema', message: expect.stringContaining('not among its issuerSchemas') },
  ])
})

test('the faults of a row that nobody is told of are not looked for', () => {
  const reads = Array.from({ length: 21 }, () => 0)
  const counted = reads.map((_, index) => ({
    ...row(index),
    get name(): number {
      reads[index] = (reads[index] ?? 0) + 1
      return 7
    },
  }))
  expect(refused(counted)?.members.problems).toHaveLength(20)
  expect(reads[20]).toBeLessThan(reads[19] ?? 0)
})

test('an error of ours while a row is read is told as a fault, not as a bad row', () => {
  let isBroken = true
  const breaking = {
    ...row(2),
    get name(): string {
      if (!isBroken) return 'Name'
      isBroken = false
      throw new TypeError('a fault')
    },
  }
  expect(() => parse([row(1), breaking])).toThrow(TypeError)
})

test('a row is taken with all that it says, and a price below the least fee is refused', () => {
  const full = {
    did: did(1),
    name: 'Name',
    logoUrl: 'https://example.org/logo.png',
    issuerSchemas: [degree],
    verifierSchemas: [diploma],
    prices: [{ schema: degree, currency: 'EUR', digits: 100 }],
  }
  const taken = {
    row: 1,
    did: did(1),
    name: 'Name',
    logoUrl: 'https://example.org/logo.png',
    issuer: [{ hash: schemaId(degree), uri: degree }],
    verifier: [{ hash: schemaId(diploma), uri: diploma }],
    prices: new Map([[schemaId(degree), new Map([['EUR', 100n]])]]),
  }
  expect(parseRows([full], 100)).toEqual([taken])
  expect(parse([full]).map(rightsIn)).toEqual([3])
  expect(() => parseRows([full], 101)).toThrow('at least 101')
  const { issuerSchemas: _, prices: __, logoUrl: ___, ...verifying } = full
  expect(parse([verifying])).toEqual([{ ...taken, logoUrl: '', issuer: [], prices: new Map() }])
})

test('names of every script are taken, and 25 currencies, and not one more', async () => {
  const names = ['جامعة الملك سعود', 'Łódź', '京都大学', '한국']
  const taken = parse(names.map((name, index) => row(index, { name })))
  expect(taken.map(({ name }) => name)).toEqual(names)
  const prices = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ schema: degree, currency: `C${i}`, digits: `${2n ** 128n - 1n}` }))
  expect(parse([row(1, { prices: prices(25) })])[0]?.prices.get(schemaId(degree))?.size).toBe(25)
  expect(await refusal([row(1, { prices: prices(26) })])).toMatch(/25 currencies/)
})

test('a hundred thousand rights are taken at once, and not one more', async () => {
  const schemas = Array.from({ length: 100 }, (_, index) => `${degree}#${index}`)
  const full = rows(1000, () => ({ issuerSchemas: schemas }))
  expect(parse(full)).toHaveLength(1000)
  expect(await refusal([...full, row(1000)])).toMatch(/100001 rights.*at most 100000/)
})

/** Returns the rows of each call, and its content. */
function read(parts: ReturnType<typeof bulkParts>) {
  return parts.map(({ call, items }) => {
    const [described] = describeCalls([call])
    return { items, parameters: JSON.stringify(described?.parameters) }
  })
}

test('a call sets issuers, prices and verifiers of each schema, and nothing else', () => {
  const licence = 'https://schema.example/licence.json'
  const prices = [
    { schema: degree, currency: 'EUR', digits: 7 },
    { schema: degree, currency: 'USD', digits: 8 },
  ]
  const given = [
    row(1),
    row(2, { prices }),
    row(3, { issuerSchemas: [], verifierSchemas: [degree, diploma] }),
    row(4, { issuerSchemas: [licence] }),
  ]
  const issuers = new Map<Did, IssuerOp>([
    [did(1), 'Ensure'],
    [
      did(2),
      {
        Set: new Map([
          ['EUR', 7n],
          ['USD', 8n],
        ]),
      },
    ],
  ])
  const verifiers = { Modify: new Map([[did(3), 'Ensure' as const]]) }
  const update = {
    Modify: new Map([
      [schemaId(degree), { Ensure: { issuers: { Modify: issuers }, verifiers } }],
      [schemaId(diploma), { Ensure: { verifiers } }],
      [schemaId(licence), { Ensure: { issuers: { Modify: new Map([[did(4), 'Ensure' as const]]) } } }],
    ]),
  }
  const call = calls.trustRegistry.setSchemasMetadata({ registryId: registry, update })
  expect(bulkParts(registry, parse(given))).toEqual([
    { call, items: [1, 2, 3, 4].map((n) => ({ row: n, did: did(n) })) },
  ])
})

test('rows of the same schemas stand side by side, in whatever order they name them', () => {
  const [there, back] = [{ issuerSchemas: [degree, diploma] }, { issuerSchemas: [diploma, degree] }]
  const verifying = { issuerSchemas: [], verifierSchemas: [degree, diploma] }
  const verifyingBack = { issuerSchemas: [], verifierSchemas: [diploma, degree] }
  const entries = parse([
    row(1, there),
    row(2, verifying),
    row(3, back),
    row(4, verifyingBack),
    row(5, there),
    row(6, verifying),
  ])
  const parts = bulkParts(registry, entries)
  expect(parts.map(({ items }) => items.map((item) => item.row))).toEqual([[1, 3, 5, 2, 4, 6]])
})

test('rows of the same schemas are listed in the order of their DIDs, each with its place in the request', () => {
  const [part] = bulkParts(registry, parse([row(3), row(1), row(2)]))
  expect(part?.items).toEqual([
    { row: 2, did: did(1) },
    { row: 3, did: did(2) },
    { row: 1, did: did(3) },
  ])
})

test('rows go into few calls, each within what the ledger takes, each row once and undivided', async () => {
  const entries = parse(rows(1200, (index) => ({ issuerSchemas: index % 2 ? [degree] : [diploma] })))
  const parts = read(bulkParts(registry, entries))
  expect(parts.map(({ items }) => items.length)).toEqual([796, 404])
  expect(new Set(parts.flatMap(({ items }) => items.map((item) => item.row))).size).toBe(1200)
  for (const { items, parameters } of parts) for (const item of items) expect(parameters).toContain(item.did)
})

test('the largest row fits into a call, and a row that does not fit beside others begins the next', async () => {
  const schemas = (role: string) => Array.from({ length: 100 }, (_, index) => `https://schema.example/${role}/${index}`)
  const prices = schemas('i').map((schema) => ({ schema, currency: 'EUR', digits: 0 }))
  const largest = { issuerSchemas: schemas('i'), verifierSchemas: schemas('v'), prices }
  const parts = bulkParts(registry, parse([row(1), row(2, largest), row(3, largest)]))
  expect(parts.map(({ items }) => items.map((item) => item.row))).toEqual([[1, 2], [3]])
})
