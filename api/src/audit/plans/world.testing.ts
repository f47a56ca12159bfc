import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Did, didSvc, type Hex32, hex32Of } from '@accredit/chain'
import type { FastifyInstance } from 'fastify'
import pg from 'pg'
import { buildApp } from '../../app.js'
import { insertDid } from '../../dids/did.store.js'
import type { IndexDb } from '../../ledger/read/index-db.js'
import { indexedDatabase, type TestIndex, testIndex } from '../../ledger/testing/test-index.js'
import { openSigner, type SignerDoor } from '../../ledger/write/signer-door.js'
import type { TeamId } from '../../platform/database/ids.js'
import { allServed } from '../../platform/testing/all-served.js'
import { type ScratchDatabase, testEnvironment, testTeam } from '../../platform/testing/scratch-database.js'
import { unusedIndexes } from '../../platform/testing/unused-indexes.js'
import { ExecutedPlans, type ExecutedStatement } from './executed-plans.testing.js'
import type { Question } from './questions.testing.js'

/** The node counts as heard for as long as the test may take. */
const HOUR_MS = 3_600_000
const BLOCKS = 60_000
const LISTED = 2_000
const EVENTS = 20_000
const OTHERS = 20_000

const didOf = (n: number, kind: number): Did =>
  didSvc(hex32Of(Uint8Array.from({ length: 32 }, (_, i) => (i < 2 ? (n >> (8 * i)) & 255 : kind))))
const listed = Array.from({ length: LISTED }, (_, n) => didOf(n, 7))
const others = Array.from({ length: OTHERS }, (_, n) => didOf(n, 8))
const listedDid = (n: number): Did => listed[n] ?? didOf(n, 7)

/** A registry of the team that lists many, and its conveners, issuers, delegates and verifiers. */
export const OWN: Hex32 = hex32Of(new Uint8Array(32).fill(0xfa))
export const SCHEMA: Hex32 = hex32Of(Uint8Array.from({ length: 32 }, (_, i) => (i === 31 ? 1 : 0)))
export const [CONVENER, ISSUER, DELEGATE, VERIFIER] = [listedDid(0), listedDid(45), listedDid(46), listedDid(40)]
/** A registry with most of the events there are. */
export const BUSY = `0x${'7'.padStart(64, '0')}`
export const STATUS_LIST = `0x${'1f4'.padStart(64, 'e')}`
export const ACCUMULATOR = `0x${'1f5'.padStart(64, 'e')}`

const ownDid = (did: Did, team: TeamId) => {
  const key = { keyId: 1, keyRef: did, kind: 'Ed25519' as const, publicKey: OWN, relationships: 7 }
  return { did, team, type: 'ledgerA' as const, controllers: [], services: [], keys: [key], now: new Date() }
}

/** The whole service over a filled index: a registry of its team that lists many, among many other registries. */
export class FilledWorld {
  private constructor(
    private readonly scratch: ScratchDatabase,
    private readonly ledger: TestIndex,
    private readonly signer: SignerDoor,
    private readonly app: FastifyInstance,
    private readonly plans: ExecutedPlans,
    private readonly apiKey: string,
  ) {}

  static async open(): Promise<FilledWorld> {
    const scratch = await indexedDatabase()
    const plans = await ExecutedPlans.of(scratch)
    const ledger = await testIndex(scratch)
    await ledger.blocks(BLOCKS, { start: new Date('2026-01-01T00:00:00Z') })
    await ledger.finality({ height: BLOCKS, seenMsAgo: -HOUR_MS })
    await ledger.large(listed, EVENTS)
    await fillAround(scratch)
    const { team, apiKey } = await testTeam(scratch.db)
    for (const did of [CONVENER, ISSUER])
      await scratch.db.transaction('system', async (tx) => insertDid(tx, ownDid(did, team)))
    const clock = { now: () => new Date('2026-01-02T00:00:00Z') }
    const nobody = {
      socket: join(import.meta.dirname, 'no-such-socket'),
      url: undefined,
      token: undefined,
      tls: undefined,
    }
    const signer = openSigner({ signer: nobody })
    const app = await buildApp(testEnvironment(scratch, { index: ledger.index, clock, signer }), allServed)
    return new FilledWorld(scratch, ledger, signer, app, plans, apiKey)
  }

  /** The indexes of the ledger's tables that no statement has used, but for those that keep rows apart. */
  unusedIndexes(): Promise<string[]> {
    return unusedIndexes(this.scratch, 'ledger')
  }

  get index(): IndexDb {
    return this.ledger.index
  }

  /** The answer to a question, and the statements that were executed for it. */
  async ask(question: Question): Promise<{ status: number; body: string; executed: ExecutedStatement[] }> {
    const headers = { 'svc-api-token': this.apiKey }
    const { answer, executed } = await this.during(() => this.app.inject({ ...question, headers }))
    return { status: answer.statusCode, body: answer.body, executed }
  }

  during<T>(read: () => Promise<T>): Promise<{ answer: T; executed: ExecutedStatement[] }> {
    return this.plans.during(read)
  }

  /** A participant of the team's registry. */
  async participantId(): Promise<string> {
    const { body } = await this.ask({ method: 'GET', url: `/trust-registries/${OWN}/participants?limit=1` })
    return JSON.parse(body).list[0].id
  }

  async close(): Promise<void> {
    this.plans.close()
    await this.app.close()
    await this.signer.close()
    await this.ledger.close()
    await this.scratch.close()
  }
}

async function fillAround({ adminUrl }: ScratchDatabase): Promise<void> {
  const admin = new pg.Client({ connectionString: adminUrl, options: '-c search_path=ledger' })
  await admin.connect()
  await admin.query('create temporary table filling (n int, did text)')
  await admin.query('insert into filling select i - 1, did from unnest($1::text[]) with ordinality as u (did, i)', [
    others,
  ])
  await admin.query(await readFile(new URL('wide-index.sql', import.meta.url), 'utf8'))
  await admin.query('vacuum analyze')
  await admin.end()
}
