import { expect, it, vi } from 'vitest'
import type { Json, JsonObject } from '../../json.js'
import { ContextBudget, MOST_PROCESSED } from './context-budget.js'
import type { ExtraContexts } from './document-loader.js'
import { CREDENTIALS_V1, ED25519_2020, KNOWN_CONTEXTS, LARGE_KNOWN_CONTEXTS } from './known-contexts.js'

const LARGE = 'https://terms.example/large'
const SMALL = 'https://terms.example/small'

/** A context of exactly so many bytes. */
function contextOf(bytes: number, more: JsonObject = {}): JsonObject {
  const empty = { '@context': { '@vocab': '', ...more } }
  return { '@context': { '@vocab': 'x'.repeat(bytes - JSON.stringify(empty).length), ...more } }
}

const contexts: ExtraContexts = new Map([
  [LARGE, { document: contextOf(100_000), isKept: false }],
  [SMALL, { document: contextOf(1_000), isKept: true }],
])
const bytesOf = (url: string): number => JSON.stringify(KNOWN_CONTEXTS.get(url)).length
const [SCHEMA_ORG = '', SAME = ''] = LARGE_KNOWN_CONTEXTS

const presentation = (...credentials: Json[][]): JsonObject => ({
  '@context': CREDENTIALS_V1,
  verifiableCredential: credentials.map((context) => ({ '@context': context })),
})

/** Returns the bytes that documents take together. */
function taken(...documents: JsonObject[]): number {
  const all = (most: number) => {
    const budget = new ContextBudget({ document: most, request: most })
    for (const document of documents) budget.take(document, contexts)
  }
  let [low, high] = [-1, 50_000_000]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    try {
      all(middle)
      high = middle
    } catch {
      low = middle
    }
  }
  return high
}

const V1 = bytesOf(CREDENTIALS_V1)

it.each<[string, number, JsonObject[]]>([
  ['nothing of ours for a document without contexts', 0, [{}]],
  ['what a credential names, each once', V1 + 100_000, [{ '@context': [CREDENTIALS_V1, LARGE] }]],
  ['what it names again', V1 + 300_000, [{ '@context': [CREDENTIALS_V1, LARGE, LARGE, LARGE] }]],
  [
    'what each credential of a presentation names',
    2 * V1 + 300_000,
    [presentation([CREDENTIALS_V1, LARGE], [CREDENTIALS_V1, LARGE], [CREDENTIALS_V1, LARGE])],
  ],
  ['what stands deeper', 100_000, [{ verifiableCredential: { verifiableCredential: [{ '@context': LARGE }] } }]],
  ['what is kept, once after the same', V1 + 1_000, Array(9).fill({ '@context': [CREDENTIALS_V1, SMALL] })],
  [
    'what is kept, again after something else',
    bytesOf(SCHEMA_ORG) * 4,
    [{ '@context': [SCHEMA_ORG, SAME, SCHEMA_ORG, SAME] }],
  ],
  [
    'what is kept, each time after terms of the document',
    bytesOf(SCHEMA_ORG) * 2,
    Array(2).fill({ '@context': [{ a: 'urn:a' }, SCHEMA_ORG] }),
  ],
  ['nothing for what cannot be had', 0, [{ '@context': ['https://nowhere.example/', null, 7] }]],
])('contexts take %s', (_, expected, documents) => {
  expect(taken(...documents)).toBe(expected)
})

it('a context takes what it names, too', () => {
  const names = contextOf(1_000, { a: { '@context': [ED25519_2020, ED25519_2020] } })
  const both: ExtraContexts = new Map([[LARGE, { document: names, isKept: false }]])
  const most = 1_000 + 2 * bytesOf(ED25519_2020)
  const take = (bytes: number) =>
    new ContextBudget({ document: bytes, request: bytes }).take({ '@context': LARGE }, both)
  expect(() => take(most)).not.toThrow()
  expect(() => take(most - 1)).toThrow(/bytes/)
})

it.each([
  ['one byte below', -1],
  ['at', 0],
  ['one byte above', 1],
])('a presentation %s two megabytes of contexts', (_, more) => {
  const half = MOST_PROCESSED.document / 2
  const two: ExtraContexts = new Map([
    ['urn:a', { document: contextOf(half), isKept: false }],
    ['urn:b', { document: contextOf(half + more), isKept: false }],
  ])
  const document = { verifiableCredential: [{ '@context': ['urn:a'] }, { '@context': ['urn:b'] }] }
  const take = () => new ContextBudget().take(document, two)
  if (more > 0)
    expect(take).toThrow(
      expect.objectContaining({
        code: 'too_large',
        message: expect.stringMatching(/2097153 bytes, .* at most 2097152/),
      }),
    )
  else expect(take).not.toThrow()
})

it('a presentation and its credentials by themselves are one request, and what is refused costs nothing', () => {
  const budget = new ContextBudget({ document: 200_000, request: 400_000 })
  const take = (...context: string[]) => budget.take({ '@context': context }, contexts)
  take(LARGE, LARGE)
  take(LARGE)
  expect(() => take(LARGE, LARGE)).toThrow(/200000 bytes, .* at most 100000 .* after all else/)
  take(LARGE)
  expect(() => take(SMALL)).toThrow(/at most 0/)
})

it('sequences of thousands of contexts are counted in no time', () => {
  const turns = Array.from({ length: 20_000 }, (_, n) => (n % 2 === 0 ? SCHEMA_ORG : SAME))
  const written = vi.spyOn(JSON, 'stringify')
  try {
    expect(() => new ContextBudget().take({ '@context': turns }, contexts)).toThrow(/bytes/)
    expect(written.mock.calls.length).toBeLessThan(100)
  } finally {
    written.mockRestore()
  }
})
