import { RELATIONSHIPS } from '@accredit/chain'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Question } from '../../../../chain/client/src/proof/question.js'
import type { ScratchDatabase } from '../../platform/testing/scratch-database.js'
import { proverOf } from '../testing/prover.js'
import { DID, facts, INDEXES, LENGTH, LIST, REGISTRY, stateOf, storeFacts } from '../testing/random-facts.js'
import { BLOCKS } from '../testing/random-history.js'
import { indexedDatabase, type TestIndex, testIndex } from '../testing/test-index.js'
import { didStateAt, keyHistory } from './did-state.js'
import { countedAt, partOf } from './participants/participant-counts.js'
import { listedSchemas } from './registries/registry-schemas.js'
import { among, registryExisted, registryPage } from './registries/registry-states.js'
import { revocationRegistryAt, statusAt } from './status-list.js'

const RUNS = Number(process.env.HISTORY_RUNS ?? 8)
/** One more than a DID of the facts ever has. */
const KEY_NUMBERS = [1, 2, 3, 4, 5, 6, 7]

let scratch: ScratchDatabase
let ledger: TestIndex
beforeAll(async () => {
  scratch = await indexedDatabase()
  ledger = await testIndex(scratch)
  await ledger.blocks(BLOCKS, { start: new Date('2026-01-01T00:00:00Z') })
})
afterAll(async () => {
  await ledger?.close()
  await scratch?.close()
})

const namesOf = (flags: number): string[] =>
  Object.entries(RELATIONSHIPS).flatMap(([name, flag]) => (flags & flag ? [name] : []))

type Told = Readonly<Record<string, unknown>> & { readonly state: string | null }

async function toldOfDid(at: number): Promise<Told> {
  const state = await didStateAt(ledger.index, DID, { block: at })
  if (state === undefined || state.deactivated) return { state: state ? 'deactivated' : 'unknown' }
  const numbers = await Promise.all(KEY_NUMBERS.map((number) => keyHistory(ledger.index, DID, number)))
  return {
    state: 'active',
    lastKeyNumber: Math.max(0, ...numbers.flatMap((key) => (key && key.fromBlock <= at ? [key.keyId] : []))),
    keys: state.keys.length,
    controlKeys: state.keys.filter(({ relationships }) => relationships & RELATIONSHIPS.capabilityInvocation).length,
    controllers: state.controllers.length,
    services: state.services.length,
  }
}

/** Returns the block that revoked a key as the index has it, which reads it only to tell the present reason of an end. */
async function revokedBlock(number: number): Promise<number> {
  const row = await ledger.index.db
    .selectFrom('did_key')
    .select('revoked_block')
    .where('did', '=', DID)
    .where('key_id', '=', number)
    .executeTakeFirst()
  return row?.revoked_block ?? Number.POSITIVE_INFINITY
}

async function toldOfKey(at: number, number: number): Promise<Told> {
  const { state } = await toldOfDid(at)
  if (state !== 'active') return { state: `did_${state}` }
  const key = await keyHistory(ledger.index, DID, number)
  if (key === undefined || key.fromBlock > at) return { state: 'unknown' }
  if ((await revokedBlock(number)) <= at) return { state: 'revoked' }
  if (key.end !== null && key.end.block <= at) return { state: 'retired' }
  const { kind: keyKind, publicKey } = key.key
  return { state: 'in_use', keyKind, publicKey, relationships: namesOf(key.relationships) }
}

interface ToldRegistry {
  convener: string
  name: string
  gov_framework: string
  version: number
}

async function toldOfRegistry(at: number): Promise<Told> {
  const { db } = ledger.index
  const page = registryPage(among([REGISTRY]), { block: at }, { offset: 0, limit: 2 })
  const { rows } = await page.$castTo<ToldRegistry>().execute(db)
  expect(rows.length).toBeLessThan(2)
  const [row] = rows
  if (row === undefined)
    return { state: (await registryExisted(ledger.index, REGISTRY, { block: at })) ? 'removed' : 'unknown' }
  const { convener, name, gov_framework: governance, version } = row
  return { state: 'active', convener, name, governance, version, ...(await countsOf(at)) }
}

/** The ledger counts a DID that is deactivated until it is removed from the registry. */
async function countsOf(at: number) {
  const { db } = ledger.index
  const count = (role: 'issuer' | 'verifier') => countedAt('listed', sql`${REGISTRY}`, sql`${partOf({ role })}`, at)
  const { rows } = await sql<{ issuers: number; verifiers: number }>`
    select ${count('issuer')} as issuers, ${count('verifier')} as verifiers`.execute(db)
  const schemas = await scratch.db.read('system', (reader) => listedSchemas(reader, { block: at }, REGISTRY))
  const entries = schemas.flatMap(({ schema, issuers, verifiers }) =>
    [...issuers.map(({ did }) => did), ...verifiers].map((did) => `${schema} ${did}`),
  )
  return { schemas: schemas.length, entries: new Set(entries).size, ...rows[0] }
}

async function toldOfBit(at: number, index: number): Promise<Told> {
  const bit = await statusAt(ledger.index, LIST, index, { block: at })
  if (bit === undefined || bit.removed) return { state: bit ? 'removed' : 'unknown' }
  const length = bit.length ?? 0
  if (index >= length) return { state: 'index_out_of_range' }
  const version = (await revocationRegistryAt(ledger.index, LIST, { block: at }))?.version
  return { state: 'active', registryKind: 'statusList', length, version, revoked: bit.isSet }
}

/** All questions about what there ever was, with what the index tells after a block. */
const asked = (at: number): [Question, Promise<Told>][] => [
  [{ kind: 'did', did: DID }, toldOfDid(at)],
  [{ kind: 'registry', registryId: REGISTRY }, toldOfRegistry(at)],
  ...KEY_NUMBERS.map((keyNumber): [Question, Promise<Told>] => [
    { kind: 'key', did: DID, keyNumber },
    toldOfKey(at, keyNumber),
  ]),
  ...[...INDEXES, LENGTH].map((index): [Question, Promise<Told>] => [
    { kind: 'status', registryId: LIST, index },
    toldOfBit(at, index),
  ]),
]

test('a DID, a key, a registry and a status bit that are proved offline are those of the index, at any block', async () => {
  const states = new Map<string, Set<unknown>>()
  let listed = 0
  const blocks = fc.uniqueArray(fc.integer({ min: 0, max: BLOCKS }), { minLength: 5, maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(facts, blocks, async (made, some) => {
      await storeFacts(ledger, made)
      for (const at of some) {
        const prove = proverOf(stateOf(made, at))
        for (const [question, told] of asked(at)) {
          const answer = await told
          expect(prove(question), `${JSON.stringify(question)} at ${at}`).toEqual({ kind: question.kind, ...answer })
          const found = states.get(question.kind) ?? new Set()
          if (Number(answer.issuers) > 0 && Number(answer.verifiers) > 0) listed += 1
          states.set(question.kind, found.add(answer.revoked === true ? 'a bit' : answer.state))
        }
      }
    }),
    { numRuns: RUNS * 2 },
  )
  expect(listed).toBeGreaterThan(0)
  expect(Object.fromEntries([...states].map(([kind, found]) => [kind, [...found].sort()]))).toEqual({
    did: ['active', 'deactivated', 'unknown'],
    key: ['did_deactivated', 'did_unknown', 'in_use', 'retired', 'revoked', 'unknown'],
    registry: ['active', 'removed', 'unknown'],
    status: ['a bit', 'active', 'index_out_of_range', 'removed', 'unknown'],
  })
})
