import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { presentationOf, updatedWitness } from '../api/src/formats/testing/anonymous-wallet.js'
import { revocationIdOf } from '../api/src/status/revocation-id.js'
import { connect, each } from '../scripts/tour/client.js'
import { killed, persistently, until } from './support/kills.js'
import { type Request, requestsWith } from './support/requests.js'
import { startTestStack, type TestStack } from './support/stack.js'
import { SeededRandom } from './testing/random-ledger/seeded-random.js'
import { ALL_FORMS } from './testing/random-statuses/forms.js'
import {
  type Change,
  changesIn,
  type Indexes,
  onLedger,
  publishedIn,
  replayed,
} from './testing/random-statuses/revoked-places.js'
import { ended, type Known, Writer } from './testing/random-statuses/writer.js'

/** `npm run soak -- statuses` lets the writers write for longer, and kills more. */
const setting = (name: string, usual: number) => Number(process.env[`SOAK_STATUSES_${name}`] ?? usual)
const WRITERS = setting('WRITERS', 24)
const STEPS = setting('STEPS', 3)
const KILLS = setting('KILLS', 3)
const VERIFIED = setting('VERIFIED', 15)
/** The members of the accumulator that show themselves, and as many that were removed. */
const MEMBERS = setting('MEMBERS', 2)
const SEED = setting('SEED', 20_260_289)

/** They are killed in turn: the first three keep what the writers asked for. */
const KILLED = ['api', 'worker', 'signer', 'indexer', 'ledger']

/** The end of one registry, as each source tells it. */
interface Registry {
  id: string
  isAccumulator: boolean
  changes: Change[]
  /** The bits in the ledger's own state. */
  ledger: Indexes
}

interface Membership {
  witness: string
  accumulated: string
  publicKey: string
}

let stack: TestStack
let request: Request
let writers: Writer[]
/** The credentials that every writer changed. */
let contended: Known[]
/** A credential that nobody revokes, and the witness that its holder took before the first change. */
let kept: { one: Known; held: Membership & { version: number } }
let known: Known[]
let registries: Registry[]

beforeAll(async () => {
  console.log(`seed ${SEED}: ${WRITERS} writers of ${STEPS} steps each, ${KILLS} kills`)
  stack = await startTestStack()
  request = requestsWith(stack.apiKey, stack.apiUrl)
  const client = connect(stack.apiUrl, stack.apiKey)
  const { did, id } = await client.call<{ did: string; id: string }>('POST', '/dids', {})
  await client.finished(id)
  const random = new SeededRandom(SEED)
  const shared = new Writer('shared', request, did, random, [])
  contended = await each(ALL_FORMS, 5, (form) => shared.issue(form))
  const one = await new Writer('kept', request, did, random, []).issue('accumulator')
  kept = { one, held: await membershipOf(one) }
  writers = Array.from(
    { length: WRITERS },
    (_, n) => new Writer(`writer:${n}`, request, did, new SeededRandom(SEED + n), contended),
  )
  await underKills()
  known = writers.flatMap((writer) => writer.known)
  const ids = [...new Set([...known, ...contended].map(({ registry }) => registry))]
  registries = await each(ids, 2, async (registry) => ({
    id: registry,
    isAccumulator: [...known, ...contended].some(
      (other) => other.registry === registry && other.form === 'accumulator',
    ),
    changes: await changesIn(request, registry),
    ledger: await onLedger(stack.ownLedgerUrl, registry),
  }))
})
afterAll(() => stack.remove())

/** All writers write at once, while one process after the other is killed; returns when their jobs have ended. */
async function underKills(): Promise<void> {
  let steps = 0
  const write = async (writer: Writer, n: number) => {
    await writer.issue(ALL_FORMS[n % ALL_FORMS.length])
    for (let step = 0; step < STEPS; step += 1) {
      await writer.step()
      steps += 1
    }
  }
  const all = WRITERS * STEPS
  const kill = async () => {
    for (let n = 0; n < KILLS; n += 1) {
      await until(`${n + 1} of ${KILLS + 1} parts are written`, () => steps >= (all * (n + 1)) / (KILLS + 1), 10)
      expect(steps).toBeLessThan(all)
      await killed(stack, [KILLED[n % KILLED.length] ?? 'api'])
    }
  }
  await Promise.all([kill(), ...writers.map(write)])
  await each(
    writers.flatMap(({ jobs }) => jobs),
    16,
    (job) => ended(request, job),
  )
}

async function membershipOf(one: Known, query = ''): Promise<Membership & { version: number }> {
  const answer = await witnessOf(one, query)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  const history = await request('GET', `/registries/${one.registry}/history?event=Revocation.RegistryCreated`)
  const { value: witness, accumulated, version } = answer.body
  return { witness, accumulated, version, publicKey: history.body.list[0].after.publicKey }
}

const witnessOf = ({ registry, id }: Known, query = '') =>
  request('GET', `/revocationStatus/${registry}/${revocationIdOf(id)}/witness${query}`)

const verified = async (data: unknown): Promise<boolean> => {
  const { status, body } = await persistently(() => request('POST', '/verify', { data }))
  expect(status, JSON.stringify(body)).toBe(200)
  return body.verified
}

const shown = ({ credential }: Known, membership: Membership) =>
  presentationOf([{ credential: Object(credential), claims: ['credentialSubject.id'], membership }])

const inRegistry = <One extends Known>(all: readonly One[], { id }: Registry): One[] =>
  all.filter(({ registry }) => registry === id)

describe(`${WRITERS} writers of every kind of status, while ${KILLS} processes are killed`, () => {
  test('write into a registry of each kind, and every credential has a place of its own', () => {
    expect(registries).toHaveLength(4)
    const all = [...known, ...contended].filter(({ index }) => index !== undefined)
    expect(new Set(all.map(({ registry, index }) => `${registry}#${index}`)).size).toBe(all.length)
    for (const form of ALL_FORMS) {
      const ofForm = known.filter((one) => one.form === form)
      for (const isRevoked of [true, false])
        expect(
          ofForm.some((one) => one.isRevoked === isRevoked),
          `${form} ${isRevoked}`,
        ).toBe(true)
      expect(
        ofForm.some(({ flips }) => flips > 1),
        `${form} back again`,
      ).toBe(true)
    }
    expect(
      known.some(({ form, index }) => form === 'accumulator' && index === undefined),
      'never issued',
    ).toBe(true)
  })

  test('issue each credential exactly once, whatever was asked for twice', async () => {
    const { body } = await request('GET', '/credentials', undefined, { accept: 'application/x-ndjson' })
    const listed: { id: string; revoked: boolean }[] = body
      .trim()
      .split('\n')
      .map((line: string) => JSON.parse(line))
    const issued = known.filter(({ index }) => index !== undefined)
    const listedIds = listed.map(({ id }) => id).filter((id) => id.startsWith('urn:writer:'))
    expect(listedIds.sort()).toEqual(issued.map(({ id }) => id).sort())
    const revoked = new Map(listed.map((one) => [one.id, one.revoked]))
    expect(issued.filter(({ id, isRevoked }) => revoked.get(id) !== isRevoked)).toEqual([])
  })

  test('leave the bits of the ledger as the sequence of their own requests does, and nothing more', () => {
    for (const registry of registries) {
      const set = new Set(registry.ledger)
      const own = inRegistry(known, registry)
      const wrong = own.filter(({ index, isRevoked }) => index !== undefined && set.has(index) !== isRevoked)
      expect(wrong.map(({ id, flips }) => ({ id, flips }))).toEqual([])
      const others = inRegistry(contended, registry).filter(({ index = -1 }) => set.has(index))
      expect(set.size).toBe(own.filter(({ isRevoked }) => isRevoked).length + others.length)
    }
  })

  test('leave a history in which each change of theirs stands once and in its order', () => {
    for (const registry of registries) {
      const { set, flips } = replayed(registry.changes)
      expect(set).toEqual(registry.ledger)
      for (const { id, index, flips: own } of inRegistry(known, registry)) {
        if (index === undefined) continue
        const told = flips.get(index) ?? 0
        // One update of an accumulator carries what came in meanwhile: there and back again is none.
        if (registry.isAccumulator) expect([id, own - told >= 0, (own - told) % 2]).toEqual([id, true, 0])
        else expect([id, told]).toEqual([id, own])
      }
    }
  })

  test('are told the same by every published list, by the index and by verifying', async () => {
    for (const registry of registries) {
      if (registry.isAccumulator) expect((await request('GET', `/status-lists/${registry.id}`)).status).toBe(404)
      else
        for (const [form, set] of Object.entries(await publishedIn(request, registry.id)))
          expect({ form, set }).toEqual({ form, set: registry.ledger })
    }
    await each(known, 8, async ({ registry, id, isRevoked, flips, index }) => {
      const { status, body } = await request('GET', `/revocationStatus/${registry}/${revocationIdOf(id)}`)
      if (status === 200) expect([id, body]).toEqual([id, { type: isRevoked }])
      else expect([id, body.type, flips, index === undefined]).toEqual([id, 'status_not_found_yet', 0, false])
    })
    const issued = known.filter(({ index }) => index !== undefined)
    const some = issued.filter((_, n) => n % Math.ceil(issued.length / VERIFIED) === 0)
    await each(some, 4, async ({ id, credential, isRevoked }) =>
      expect([id, await verified(credential)]).toEqual([id, !isRevoked]),
    )
    for (const { id, registry, index = -1, credential } of contended) {
      const bits = registries.find((one) => one.id === registry)?.ledger
      expect([id, await verified(credential)]).toEqual([id, !bits?.includes(index)])
    }
  })

  test('leave to each member of the accumulator a witness that verifies, and none to what was removed', async () => {
    const members = known.filter(({ form, index }) => form === 'accumulator' && index !== undefined)
    const now = await membershipOf(kept.one)
    const some = (isRevoked: boolean) => members.filter((one) => one.isRevoked === isRevoked).slice(0, MEMBERS)
    for (const one of some(false))
      expect([one.id, await verified(await shown(one, await membershipOf(one)))]).toEqual([one.id, true])
    for (const one of some(true)) {
      expect([one.id, (await witnessOf(one)).status]).toEqual([one.id, 400])
      // The witness that it had before its removal is for no value of now.
      const before = await membershipOf(one, '?version=0')
      expect(await verified(await shown(one, before))).toBe(false)
      expect(await verified(await shown(one, { ...before, accumulated: now.accumulated }))).toBe(false)
    }
  })

  test('let a holder bring its witness from the first version to the last with what is public', async () => {
    const { one, held } = kept
    const updates = await updatesSince(one.registry, held.version)
    const { accumulated = '' } = updates.at(-1) ?? {}
    const witness = await updatedWitness(held.witness, one.index ?? -1, updates)
    expect(witness).toBe((await membershipOf(one)).witness)
    expect(await verified(await shown(one, { ...held, witness, accumulated }))).toBe(true)
  })
})

interface Update {
  version: number
  accumulated: string
  additions: number[]
  removals: number[]
  witnessUpdateInfo: string
}

async function updatesSince(registry: string, version: number): Promise<Update[]> {
  const { body } = await request('GET', `/registries/${registry}/updates?from=${version}`)
  const page: Update[] = body
  const last = page.at(-1)
  return last === undefined ? [] : [...page, ...(await updatesSince(registry, last.version))]
}
