import { readFileSync } from 'node:fs'
import { bytesOf, callHash, describeCalls, didCallNamed, hexIn } from '@accredit/chain'
import type { FastifyInstance } from 'fastify'
import { type RawBuilder, sql } from 'kysely'
import { buildApp } from '../app.js'
import { readConfig } from '../config.js'
import { type CommonLoop, commonLoop } from '../dids/loop.testing.js'
import { jobEffects, ledgerEffects } from '../effects.js'
import { allServed } from '../platform/testing/all-served.js'
import { type Written, writtenOf } from '../platform/testing/answered.js'
import { requestAs } from '../platform/testing/request-as.js'
import { type ScratchDatabase, type TestTeam, testEnvironment, testTeam } from '../platform/testing/scratch-database.js'

const README = new URL('README.md', import.meta.url)

/** A row of the table of writes: the request, the ledger's call, the signer, the readers' view. */
export type Row = readonly [rest: string, call: string, signs: string, sees: string]

const linesOfReadme = (): string[] => readFileSync(README, 'utf8').split('\n')

/** The headings of the tables of writes. */
export const tablesOfReadme = (): string[] =>
  linesOfReadme().flatMap((line, index, all) =>
    line.startsWith('### ') && all[index + 2]?.startsWith('| REST') ? line.slice('### '.length) : [],
  )

export function rowsOfReadme(heading: string): string[][] {
  const lines = linesOfReadme()
  const header = lines.indexOf(`### ${heading}`) + 2
  const end = lines.findIndex((line, index) => index > header && !line.startsWith('|'))
  return lines.slice(header + 2, end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

/** The names of calls, and of operations of the grammar, that stand in a row as code. */
export function namedIn(cell: string): { calls: string[]; operations: string[] } {
  const names = [...cell.matchAll(/`([A-Za-z_]+)`/g)].map(([, name = '']) => name)
  return {
    calls: names.filter((name) => didCallNamed(`TrustRegistry.${name}`) !== undefined),
    operations: names.filter((name) => OPERATIONS.includes(name)),
  }
}

const OPERATIONS = ['Add', 'Set', 'Remove', 'Ensure', 'Discard']

/** The operations of the grammar in a call's parameters; `Modify` leads to them. */
export const operationsIn = (parameters: unknown): string[] => {
  const text = JSON.stringify(parameters)
  return OPERATIONS.filter((name) => text.includes(`"${name}"`))
}

interface Dispatch {
  did: string
  callHash: string
}

/** The api over a real ledger, on which nothing happens until the test says so. */
export class PausedService {
  private constructor(
    private readonly scratch: ScratchDatabase,
    private readonly loop: CommonLoop,
    private readonly app: FastifyInstance,
  ) {}

  static async open(): Promise<PausedService> {
    const loop = await commonLoop()
    const { scratch } = loop
    const settings = { DATABASE_URL: scratch.tenantUrl, ACCREDIT_TEST: '1', LEDGER_WAIT_MS: '0' }
    const { signer, index } = loop.environment
    const app = await buildApp(testEnvironment(scratch, { signer, index, config: readConfig(settings) }), allServed)
    return new PausedService(scratch, loop, app)
  }

  async close(): Promise<void> {
    await this.app.close()
  }

  team = (): Promise<TestTeam> => testTeam(this.scratch.db)

  async call(team: TestTeam | undefined, method: string, url: string, body?: object): Promise<Written> {
    return writtenOf(await requestAs(this.app, team, method, url, body))
  }

  /** Brings every accepted action to the ledger and follows it. */
  untilDone = (): Promise<void> => this.loop.untilDone({ jobEffects, ledgerEffects })

  /** Makes an organisation with a profile, on the ledger. */
  async organisation(team: TestTeam, name: string): Promise<string> {
    const { body } = await this.call(team, 'POST', '/dids', {})
    const profile = { did: body.did, name, description: name, logo: 'https://example.org/logo.png' }
    await this.call(team, 'POST', '/profiles', profile)
    return body.did
  }

  /** Runs while a DID's keys are not here. */
  async withoutKeys<T>(did: string, act: () => Promise<T>): Promise<T> {
    const turn = (from: string, to: string) =>
      this.scratch.db.call(sql`update service.did_keys set state = ${to} where did = ${did} and state = ${from}`)
    await turn('active', 'retired')
    const result = await act()
    await turn('retired', 'active')
    return result
  }

  /** Returns the parts of a job as the signer gets them: the DID that signs, and the calls by name. */
  async parts(job: string | undefined) {
    const { rows } = await this.read(
      sql<{
        did: string
        calls: string[]
      }>`select did, action -> 'calls' as calls from service.ledger_actions where job_id = ${job ?? ''} order by part`,
    )
    return rows.map(({ did, calls }) => {
      const encoded = calls.map((call) => bytesOf(hexIn(call)))
      const named = describeCalls(encoded).map(({ pallet, call, parameters }) => ({
        name: didCallNamed(`${pallet}.${call}`)?.name.split('.')[1],
        parameters,
      }))
      return { did, calls: named, callHash: callHash(encoded) }
    })
  }

  async height(): Promise<number> {
    const { rows } = await this.read(sql<{ height: number }>`select max(height) as height from ledger.block`)
    return rows[0]?.height ?? 0
  }

  /** The dispatches of DIDs on the ledger after a block. */
  async dispatchedAfter(height: number): Promise<Dispatch[]> {
    const { rows } = await this.read(sql<Dispatch>`
      select actor as did, call_hash as "callHash" from ledger.event
      where name = 'Did.Dispatched' and block > ${height} order by block, index`)
    return rows
  }

  async timeOfNewestEvent(): Promise<string | undefined> {
    const { rows } = await this.read(sql<{ time: Date }>`select time from ledger.event order by block desc limit 1`)
    return rows[0]?.time.toISOString()
  }

  private read<T>(query: RawBuilder<T>) {
    return this.scratch.db.read('system', (reader) => query.execute(reader))
  }
}
