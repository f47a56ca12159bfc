import { viewFunctions } from '@accredit/chain'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ScratchDatabase, scratchDatabase } from '../../../test/support/scratch-database.js'
import type { Actor } from '../../../test/testing/random-ledger/actor.js'
import { Actors, type KnownList, type KnownRegistry } from '../../../test/testing/random-ledger/actors.js'
import { someAuthorizations } from '../../../test/testing/random-ledger/authorizations.js'
import { createActors, type RandomHistory, submitRandomBlock } from '../../../test/testing/random-ledger/history.js'
import { LedgerWriter } from '../../../test/testing/random-ledger/ledger-writer.js'
import { SeededRandom } from '../../../test/testing/random-ledger/seeded-random.js'
import { isSignedByOpenssl } from '../../client/src/openssl-signatures.js'
import type { Answer } from '../../client/src/proof/answer.js'
import { makeBundle } from '../../client/src/proof/make-bundle.js'
import type { Question } from '../../client/src/proof/question.js'
import { storageKey } from '../../client/src/proof/testing/runtime-types.js'
import { justify, TestNetwork, validators } from '../../client/src/proof/testing/test-network.js'
import { verifyProof } from '../../client/src/proof/verify-proof.js'
import { randomKeys } from './keys.js'
import { type OpenLedger, openLedger } from './open-ledger.js'
import { ask } from './testing/ask.js'
import { wholeState } from './testing/whole-state.js'

const SEED = Number(process.env.HISTORY_SEED ?? 20_261_126)
const BLOCKS = Number(process.env.HISTORY_BLOCKS ?? 4)
/** The kinds of actions, which blocks have in turn. */
const KINDS = ['registries', 'identities', 'everything'] as const
const GENESIS_HASH = storageKey('system.blockHash', 0)
const VALIDATORS = validators(1, 2, 3, 4)

let scratch: ScratchDatabase
let opened: OpenLedger
let history: RandomHistory

beforeAll(async () => {
  const keys = randomKeys()
  scratch = await scratchDatabase()
  opened = await openLedger({ databaseUrl: scratch.url, keys })
  const writer = await LedgerWriter.connect(opened.url, keys.sudo)
  history = { writer, actors: Actors.of(new SeededRandom(SEED), writer.place), now: Date.now }
  await createActors(
    history,
    Array.from({ length: 14 }, (_, number) => `University ${number}`),
  )
  await submitRandomBlock(history, 6, 'foundations')
  await submitRandomBlock(history, 20, 'beginnings')
})

afterAll(async () => {
  await history?.writer.close()
  await opened?.close()
  await scratch?.drop()
})

/**
 * Returns what proves answers about the present state: a network that has the ledger's state in a block of its own, of
 * which validators made it final. The ledger itself has no true state roots, and no validators.
 */
async function prover(): Promise<(question: Question) => Answer> {
  const { chain, head, genesisHash } = opened.ledger
  const state = await wholeState(chain.store, head.number)
  expect(state.get(GENESIS_HASH)).toBe(genesisHash)
  state.delete(GENESIS_HASH)
  const network = new TestNetwork(VALIDATORS)
  const { genesis } = network
  const block = network.add(state)
  const parts = network.partsAbout(block, justify(block, VALIDATORS.slice(1)))
  return (question) =>
    verifyProof(JSON.stringify(makeBundle(question, parts)), genesis.hash, { isSigned: isSignedByOpenssl }).answer
}

/** Status questions about a list, with what the events of the ledger say. */
function statusesOf({ id, revoked, isRemoved }: KnownList): [Question, object][] {
  const indexes = [...[...revoked].slice(0, 3), 17].map((index) => Number(index))
  return indexes.map((index) => [
    { kind: 'status', registryId: id, index },
    isRemoved ? { state: 'removed' } : { state: 'active', revoked: revoked.has(index) },
  ])
}

/** Questions about a DID of the ledger and each key that it ever had, with what the events of the ledger say. */
function questionsOf({ did, known }: Actor): [Question, object][] {
  const { isDeactivated, nextKey, controllers, services } = known
  const counts = { lastKeyNumber: nextKey - 1, controllers: controllers.size, services: services.size }
  const numbers = Array.from({ length: nextKey - 1 }, (_, at) => at + 1)
  const key = isDeactivated ? 'did_deactivated' : expect.stringMatching(/^(in_use|retired|revoked)$/)
  return [
    [{ kind: 'did', did }, isDeactivated ? { state: 'deactivated' } : { state: 'active', ...counts }],
    [{ kind: 'key', did, keyNumber: nextKey }, { state: isDeactivated ? 'did_deactivated' : 'unknown' }],
    ...numbers.map((keyNumber): [Question, object] => [{ kind: 'key', did, keyNumber }, { state: key }]),
  ]
}

const questionOf = (registry: KnownRegistry): [Question, object] => [
  { kind: 'registry', registryId: registry.id },
  registry.isRemoved
    ? { state: 'removed' }
    : { state: 'active', convener: registry.convener, version: registry.version, ...countsOf(registry) },
]

/** The counts of a registry that is in use, which the ledger keeps beside what it counts. */
function countsOf({ schemas }: KnownRegistry) {
  const places = [...schemas.values()]
  return {
    schemas: places.length,
    entries: places.reduce((sum, { issuers, verifiers }) => sum + new Set([...issuers, ...verifiers]).size, 0),
    issuers: new Set(places.flatMap(({ issuers }) => [...issuers])).size,
    verifiers: new Set(places.flatMap(({ verifiers }) => [...verifiers])).size,
  }
}

/** Questions about everything but rights, with what the events of the ledger say. */
function toldByEvents({ byDid, registries, lists }: Actors): [Question, object][] {
  const own = [...byDid.values()].filter(({ did }) => did.startsWith('did:svc:'))
  return [
    ...own.flatMap(questionsOf),
    ...[...registries.values()].map(questionOf),
    ...[...lists.values()].flatMap(statusesOf),
  ]
}

test('an answer that is proved, about any history, is that of the ledger itself', async () => {
  const { actors } = history
  const views = viewFunctions()
  const reasons = new Set<string>()
  const states = new Set<string>()
  let mostListed = 0
  for (let block = 0; block < BLOCKS; block += 1) {
    await submitRandomBlock(history, 12, KINDS[block % KINDS.length] ?? 'everything')
    const prove = await prover()
    for (const question of someAuthorizations(actors)) {
      const answer = await ask(opened.ledger, views.authorized(question))
      const what = `seed ${SEED}, block ${block}: ${JSON.stringify(question)}`
      expect(prove({ kind: 'authorization', ...question }), what).toMatchObject({ ...answer })
      reasons.add(answer.reason)
    }
    for (const [question, answer] of toldByEvents(actors)) {
      const proved = prove(question)
      expect(proved, `seed ${SEED}: ${JSON.stringify(question)}`).toMatchObject(answer)
      if (proved.kind === 'registry' && proved.state === 'active')
        mostListed = Math.max(mostListed, Math.min(proved.issuers, proved.verifiers))
      states.add(
        'revoked' in proved && proved.revoked ? 'a bit' : `${proved.kind} ${'state' in proved && proved.state}`,
      )
    }
  }
  expect(reasons.size).toBeGreaterThan(5)
  expect(mostListed).toBeGreaterThan(0)
  const seen = [
    'a bit',
    'did active',
    'did deactivated',
    'key in_use',
    'key retired',
    'registry active',
    'status active',
  ]
  expect([...states]).toEqual(expect.arrayContaining(seen))
})
