import {
  type CallDescription,
  type Did,
  describeCalls,
  type Hex32,
  parseDid,
  parseHex32,
  schemaId,
} from '@accredit/chain'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import pg from 'pg'
import { buildApp } from '../app.js'
import { readConfig } from '../config.js'
import { storedDid } from '../dids/testing.js'
import { indexedDatabase, type TestIndex, testIndex } from '../ledger/testing/test-index.js'
import { followLedger } from '../ledger/write/follower.js'
import { json } from '../platform/database/tables.js'
import type { Environment } from '../platform/http/context.js'
import type { Served } from '../platform/http/operation.js'
import type { Clock } from '../platform/process/clock.js'
import { createLog } from '../platform/process/log.js'
import { type Written, writtenOf } from '../platform/testing/answered.js'
import { requestAs } from '../platform/testing/request-as.js'
import { type ScratchDatabase, type TestTeam, testEnvironment, testTeam } from '../platform/testing/scratch-database.js'
import { tickingClock } from '../platform/testing/ticking-clock.js'
import { putProfile } from '../profiles/profile.store.js'
import { ecosystemEffects } from './ecosystems.jobs.js'
import { ecosystemLedgerEffects } from './ecosystems.ledger.js'
import { ecosystems } from './operations.js'

export interface Answer extends Written {
  block: string | undefined
  etag: string | undefined
}

export const TEXTS = {
  description: 'Who may award degrees',
  logoUrl: 'https://example.org/logo.png',
  ecosystemUrl: 'https://example.org',
  governanceFramework: '# Rules\nOnly accredited universities.',
  governanceFrameworkVersion: '1.0',
}

/**
 * The operations of ecosystems over a real database, whose ledger is written by the test as the indexer would write it.
 */
export class TestEcosystems {
  private height = 10

  private constructor(
    readonly scratch: ScratchDatabase,
    readonly ledger: TestIndex,
    readonly app: FastifyInstance,
    readonly clock: Clock,
  ) {}

  static async open(
    settings: Record<string, string> = {},
    more: Served[] = [],
    given: Partial<Environment> = {},
  ): Promise<TestEcosystems> {
    const scratch = await indexedDatabase()
    const ledger = await testIndex(scratch)
    await ledger.blocks(10, { start: new Date(Date.now() - 60_000), stepMs: 1000 })
    const clock = tickingClock()
    // Nobody waits: the test itself is the ledger.
    const config = readConfig({
      DATABASE_URL: scratch.tenantUrl,
      ACCREDIT_TEST: '1',
      LEDGER_WAIT_MS: '0',
      ...settings,
    })
    const app = await buildApp(testEnvironment(scratch, { index: ledger.index, config, clock, ...given }), [
      ecosystems,
      ...more,
    ])
    return new TestEcosystems(scratch, ledger, app, clock)
  }

  async close(): Promise<void> {
    await this.app.close()
    await this.ledger.close()
    await this.scratch.close()
  }

  team = (): Promise<TestTeam> => testTeam(this.scratch.db)

  /** Makes a DID of a team with a profile. */
  async organisation(team: TestTeam, name: string, logo = 'https://example.org/logo.png'): Promise<Did> {
    const did = parseDid(await storedDid(this.scratch, team))
    if (!did) throw new Error('a DID was made')
    const profile = { did, team: team.team, name, description: `${name}, described`, logo, now: this.clock.now() }
    await this.scratch.db.transaction('system', (tx) => putProfile(tx, profile))
    return did
  }

  async call(
    team: TestTeam | undefined,
    method: string,
    url: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const response = await requestAs(this.app, team, method, url, body as object | undefined, headers)
    return {
      ...writtenOf(response),
      block: response.headers['accredit-block']?.toString(),
      etag: response.headers.etag?.toString(),
    }
  }

  /** Returns the calls of a job's action, as the ledger reads them, and the DID that makes them. */
  async action(job: string | undefined): Promise<{ did: string; calls: readonly CallDescription[] }> {
    const row = await this.scratch.db.read('system', (reader) =>
      reader
        .selectFrom('ledger_actions')
        .selectAll()
        .where('job_id', '=', job ?? '')
        .executeTakeFirstOrThrow(),
    )
    const { calls } = row.action as { calls: string[] }
    return { did: row.did, calls: describeCalls(calls.map((hex) => new Uint8Array(Buffer.from(hex.slice(2), 'hex')))) }
  }

  /** Makes one more block; `write` writes the indexer's rows for it. Returns its height. */
  async block(write?: (height: number) => Promise<void>): Promise<number> {
    this.height += 1
    await this.ledger.block(this.height, this.clock.now())
    await write?.(this.height)
    return this.height
  }

  /** Takes a job's actions, or one part, into a block of the ledger, and lets the follower see it final. */
  async include(
    job: string | undefined,
    write?: (height: number) => Promise<void>,
    part: number | null = null,
  ): Promise<number> {
    const height = await this.block(write)
    await this.endParts(job, { blockHeight: height, encodedTx: '0x00' }, part)
    return height
  }

  async refuse(
    job: string | undefined,
    error = { pallet: 'TrustRegistry', name: 'NotAuthorized', docs: 'Only the convener may.' },
    part: number | null = null,
  ) {
    await this.endParts(job, { blockHeight: await this.block(), error }, part)
  }

  private async endParts(
    job: string | undefined,
    outcome: { blockHeight: number } & Record<string, unknown>,
    part: number | null,
  ): Promise<void> {
    const { db } = this.scratch
    await db.transaction('system', (tx) =>
      sql`update service.ledger_actions a set state = 'included', block_height = b.height, block_hash = b.hash, outcome = ${json(outcome)}::jsonb
        from ledger.block b where a.job_id = ${job} and b.height = ${outcome.blockHeight}
          and a.part = coalesce(${part}::int, a.part)`.execute(tx),
    )
    await this.follow()
  }

  /** Lets the follower see the final blocks. */
  async follow(): Promise<void> {
    const { db } = this.scratch
    const log = createLog('silent', 'test')
    await followLedger({ db, log, jobEffects: ecosystemEffects, ledgerEffects: ecosystemLedgerEffects })
  }

  /** Makes a registry that the ledger has. */
  async registry(team: TestTeam, convener: Did, name: string): Promise<Hex32> {
    const answer = await this.call(team, 'POST', '/trust-registries', { convener, name, ...TEXTS })
    const id = parseHex32(answer.body.id)
    if (!id) throw new Error(JSON.stringify(answer))
    await this.include(answer.job, (from_block) =>
      this.registryRow(id, convener, name, answer.body.govFramework, from_block),
    )
    return id
  }

  registryRow(
    registry_id: Hex32,
    convener: Did,
    name: string,
    govFramework: string,
    from_block: number,
  ): Promise<void> {
    const gov_framework = Buffer.from(govFramework.slice(2), 'hex').toString()
    const row = {
      registry_id,
      convener,
      name,
      gov_framework,
      pending_convener: null,
      version: 0,
      from_block,
      to_block: null,
    }
    return this.ledger.row('trust_registry', row)
  }

  /** Ends the registry's open row at a block. */
  endRegistry(registry_id: Hex32, to_block: number): Promise<void> {
    return this.admin('update ledger.trust_registry set to_block = $2 where registry_id = $1 and to_block is null', [
      registry_id,
      to_block,
    ])
  }

  /** Ends the schemas that a DID issues in a registry. */
  endIssuer(registry_id: Hex32, did: Did, to_block: number): Promise<void> {
    return this.admin(
      'update ledger.issuer set to_block = $3 where registry_id = $1 and did = $2 and to_block is null',
      [registry_id, did, to_block],
    )
  }

  /** Ends a key of a DID. */
  endKey(did: Did, keyId: number, to_block: number): Promise<void> {
    return this.admin('update ledger.did_key set to_block = $3 where did = $1 and key_id = $2 and to_block is null', [
      did,
      keyId,
      to_block,
    ])
  }

  async admin(statement: string, values: unknown[]): Promise<void> {
    const admin = new pg.Client({ connectionString: this.scratch.adminUrl })
    await admin.connect()
    await admin.query(statement, values)
    await admin.end()
  }

  suspension(registry_id: Hex32, did: Did, from_block: number): Promise<void> {
    return this.ledger.row('suspension', { registry_id, did, from_block, to_block: null })
  }

  /** Makes a DID that the ledger had from its first block on and no longer has. */
  deactivated(did: Did, to_block: number): Promise<void> {
    return this.ledger.row('did', { did, submitter: 'payer', from_block: 1, to_block })
  }

  /** Returns the height of the newest block. */
  get latest(): number {
    return this.height
  }

  async timeOf(height: number): Promise<string | undefined> {
    const block = await this.ledger.index.db
      .selectFrom('block')
      .select('time')
      .where('height', '=', height)
      .executeTakeFirst()
    return block?.time.toISOString()
  }

  schema(registry_id: Hex32, schema: string, from_block: number, is_public = false): Promise<void> {
    return this.ledger.row('registry_schema', {
      registry_id,
      schema_id: schemaId(schema),
      is_public,
      from_block,
      to_block: null,
    })
  }

  issuer(registry_id: Hex32, schema: string, did: Did, from_block: number): Promise<void> {
    const schema_id = schema.startsWith('0x') ? schema : schemaId(schema)
    return this.ledger.row('issuer', { registry_id, schema_id, did, prices: {}, from_block, to_block: null })
  }

  verifier(registry_id: Hex32, schema: string, did: Did, from_block: number): Promise<void> {
    return this.ledger.row('verifier', { registry_id, schema_id: schemaId(schema), did, from_block, to_block: null })
  }

  /** Invites and accepts; the ledger does not know of it yet. */
  async accept(convener: TestTeam, guest: TestTeam, registry: string, did: Did, schemas: object = {}): Promise<Answer> {
    const invited = await this.call(convener, 'POST', `/trust-registries/${registry}/participants`, schemas)
    const token = String(invited.body.link).split('?token=')[1]
    return this.call(guest, 'POST', '/trust-registries/invitations/accept', { token, did, infoUrl: '' })
  }
}
