import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { Answer } from './answer.js'
import { answerText } from './answer-text.js'
import type { Question } from './question.js'
import { headerJson } from './testing/runtime-types.js'
import { MAY_ISSUE, SECOND, sampleBundle, sampleNetwork } from './testing/sample-bundle.js'
import {
  ACCUMULATOR,
  didNamed,
  PUBLIC_SCHEMA,
  REGISTRY,
  REMOVED_REGISTRY,
  SCHEMA,
  STATUS_LIST,
  UNIVERSITY_KEY,
} from './testing/sample-ledger.js'
import { verifyProof } from './verify-proof.js'

const network = sampleNetwork()
const prove = (question: Question): Answer =>
  verifyProof(JSON.stringify(sampleBundle(question, network)), network.genesis.hash).answer

test('a bundle tells the question, the answer, the block, its time and who made it final', () => {
  const bundle = sampleBundle(MAY_ISSUE, network)
  const text = `May ${didNamed('university')} issue credentials of schema ${SCHEMA} in trust registry ${REGISTRY}?`
  expect(bundle.text).toBe(text)
  expect(verifyProof(JSON.stringify(bundle), network.genesis.hash)).toEqual({
    genesisHash: network.genesis.hash,
    question: MAY_ISSUE,
    questionText: text,
    answer: { kind: 'authorization', authorized: true, reason: 'direct', prices: { EUR: '2500000' } },
    answerText: 'Yes: it is listed itself.',
    block: {
      number: 4,
      hash: network.block(4).hash,
      time: '2026-03-01T00:00:12.000Z',
      stateRoot: headerJson(network.block(4).header).stateRoot,
    },
    finalBlock: {
      number: 5,
      hash: network.block(5).hash,
      round: 4n,
      setId: 1,
      voters: SECOND.slice(0, 3).map(({ publicKey }) => publicKey),
      weight: 3n,
      threshold: 3n,
      totalWeight: 4n,
    },
    standsOn: [
      { number: 0, hash: network.genesis.hash, role: 'genesis' },
      { number: 2, hash: network.block(2).hash, role: 'handOver' },
      { number: 4, hash: network.block(4).hash, role: 'asked' },
      { number: 5, hash: network.block(5).hash, role: 'final' },
    ],
    trustedSets: { first: 0, last: 1 },
  })
})

test('a bundle is read from bytes too, in any form of JSON, and the genesis hash in either case', () => {
  const bytes = new TextEncoder().encode(JSON.stringify(sampleBundle(MAY_ISSUE, network), null, 2))
  const hash = `0x${network.genesis.hash.slice(2).toUpperCase()}`
  expect(verifyProof(bytes, hash).answer).toMatchObject({ authorized: true })
})

const may = (party: Parameters<typeof didNamed>[0], more: Partial<Extract<Question, { kind: 'authorization' }>> = {}) =>
  prove({
    kind: 'authorization',
    registryId: REGISTRY,
    schemaId: SCHEMA,
    did: didNamed(party),
    role: 'issuer',
    ...more,
  })

test('every reason for which a DID may or may not issue or verify is proved', () => {
  const yes = (reason: string) => ({ kind: 'authorization', authorized: true, reason })
  const no = (reason: string) => ({ kind: 'authorization', authorized: false, reason })
  expect(may('delegate')).toEqual({ ...yes('delegated'), via: didNamed('university') })
  expect(may('delegateOfSuspended')).toEqual(no('delegator_suspended'))
  expect(may('suspendedIssuer')).toEqual(no('suspended'))
  expect(may('deactivated')).toEqual(no('deactivated'))
  expect(may('stranger')).toEqual(no('not_listed'))
  expect(may('employer')).toEqual(no('not_listed'))
  expect(may('university', { registryId: SCHEMA })).toEqual(no('unknown_registry'))
  expect(may('university', { registryId: REMOVED_REGISTRY })).toEqual(no('unknown_registry'))
  expect(may('university', { schemaId: REGISTRY })).toEqual(no('unknown_schema'))
  expect(may('employer', { role: 'verifier' })).toEqual(yes('direct'))
  expect(may('university', { role: 'verifier' })).toEqual(no('not_listed'))
  expect(may('university', { role: 'verifier', schemaId: PUBLIC_SCHEMA })).toEqual(yes('public_schema'))
  expect(may('suspendedIssuer', { role: 'verifier', schemaId: PUBLIC_SCHEMA })).toEqual(no('suspended'))
})

test('a trust registry is proved, or that it was removed, or never was', () => {
  const counts = { version: 7, schemas: 2, entries: 3, issuers: 2, verifiers: 1 }
  const names = { name: 'Universities', governance: 'https://example.org/g', convener: didNamed('university') }
  const about = (registryId: typeof REGISTRY) => prove({ kind: 'registry', registryId })
  expect(about(REGISTRY)).toEqual({ kind: 'registry', state: 'active', ...names, ...counts })
  expect(about(REMOVED_REGISTRY)).toEqual({ kind: 'registry', state: 'removed' })
  expect(about(SCHEMA)).toEqual({ kind: 'registry', state: 'unknown' })
})

test('a DID is proved, or that it was deactivated, or never was', () => {
  const about = (party: Parameters<typeof didNamed>[0]) => prove({ kind: 'did', did: didNamed(party) })
  const counts = { lastKeyNumber: 4, keys: 2, controlKeys: 1, controllers: 0, services: 0 }
  expect(about('university')).toEqual({ kind: 'did', state: 'active', ...counts })
  expect(about('deactivated')).toEqual({ kind: 'did', state: 'deactivated' })
  expect(about('stranger')).toEqual({ kind: 'did', state: 'unknown' })
})

test('a key is proved, or what became of it', () => {
  const about = (party: Parameters<typeof didNamed>[0], keyNumber: number) =>
    prove({ kind: 'key', did: didNamed(party), keyNumber })
  expect(about('university', 1)).toEqual({
    kind: 'key',
    state: 'in_use',
    keyKind: 'Ed25519',
    publicKey: UNIVERSITY_KEY,
    relationships: ['authentication', 'assertionMethod', 'capabilityInvocation'],
  })
  expect([2, 3, 4, 5, 0].map((number) => about('university', number))).toEqual(
    ['retired', 'revoked', 'retired', 'unknown', 'unknown'].map((state) => ({ kind: 'key', state })),
  )
  expect(about('delegate', 1)).toEqual({ kind: 'key', state: 'retired' })
  expect(answerText(about('delegate', 1))).toContain('stays good, unless a later block revokes it')
  expect(about('deactivated', 1)).toEqual({ kind: 'key', state: 'did_deactivated' })
  expect(about('stranger', 1)).toEqual({ kind: 'key', state: 'did_unknown' })
})

test('a status bit is proved, in a list and of an accumulator, and that there is none', () => {
  const about = (registryId: typeof STATUS_LIST, index: number) => prove({ kind: 'status', registryId, index })
  const list = { kind: 'status', state: 'active', registryKind: 'statusList', length: 131_072, version: 1 }
  expect(about(STATUS_LIST, 2_048 + 5)).toEqual({ ...list, revoked: true })
  expect(about(STATUS_LIST, 2_048 + 6)).toEqual({ ...list, revoked: false })
  expect(about(STATUS_LIST, 5)).toEqual({ ...list, revoked: false })
  expect(about(STATUS_LIST, 131_072)).toEqual({ kind: 'status', state: 'index_out_of_range' })
  expect(about(ACCUMULATOR, 2_048 + 5)).toMatchObject({ registryKind: 'accumulator', length: 1 << 20, revoked: true })
  expect(about(REGISTRY, 5)).toEqual({ kind: 'status', state: 'unknown' })
})

test('the verifier imports its own files and @noble, and nothing of Node', () => {
  const here = fileURLToPath(new URL('.', import.meta.url))
  const files = readdirSync(here).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  expect(files.length).toBeGreaterThan(10)
  const texts = files.map((name) => readFileSync(`${here}${name}`, 'utf8'))
  const imported = texts.flatMap((text) =>
    [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, path]) => path),
  )
  expect(imported.filter((path) => !/^\.\/[\w-]+\.js$|^@noble\//.test(path ?? ''))).toEqual([])
  expect(texts.filter((text) => /\b(?:Buffer|process|require)\b/.test(text))).toEqual([])
})
