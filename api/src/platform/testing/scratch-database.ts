import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { readConfig } from '../../config.js'
import { openBatchRows } from '../../credentials/batch/batch-rows.js'
import type { PasswordCost } from '../../credentials/keeping/persisted.js'
import { openBulkPlans } from '../../ecosystems/bulk/bulk-plans.js'
import { openBbsThreads } from '../../formats/bbs/bbs-threads.js'
import { FORMATS, formatsOf } from '../../formats/formats.js'
import { openCanonicalHashes } from '../../formats/json-ld/canonical/canonical-hashes.js'
import { openBabyJubJubThreads } from '../../formats/keys/baby-jubjub/baby-jubjub-threads.js'
import { openSchemaChecks } from '../../schemas/check/schema-checks.js'
import { STATUS_METHODS, statusMethodsOf } from '../../status/status-methods.js'
import type { Database } from '../database/database.js'
import type { TeamId } from '../database/ids.js'
import { migrate } from '../database/migrate.js'
import { openDatabase } from '../database/open-database.js'
import type { DatabaseServices } from '../database/open-transaction.js'
import { eventSealing } from '../database/outgoing-events.js'
import { servicePool } from '../database/pool.js'
import type { JsonObject, Role } from '../database/tables.js'
import type { Context, ContextServices, Environment } from '../http/context.js'
import { systemClock } from '../process/clock.js'
import { createLog } from '../process/log.js'
import { systemRandom } from '../process/random.js'
import { hashKey } from '../security/authentication.js'
import { guardedFetcher } from '../security/guarded-fetch.js'
import { guardedPoster, receiverGuard } from '../security/guarded-post.js'
import { KEY_PREFIX } from '../security/key-prefix.js'
import { keyDerivation } from '../security/service-key.js'
import { ADMIN_URL, asAdmin, dropAfterAll, dropDatabase } from './after-all.js'

const ROLES = { tenant: 'accredit_test_tenant', system: 'accredit_test_system', password: 'test' }

export const TEST_SERVICE_KEY = Buffer.alloc(32, 7)
export const testDerivation = keyDerivation(TEST_SERVICE_KEY)
const testSealing = eventSealing(testDerivation, systemRandom)

/** Returns the events that a team's web hooks will be told, opened, in order. */
export async function outgoingEvents(
  { db }: Pick<ScratchDatabase, 'db'>,
  team: TeamId,
): Promise<{ event: string; data: JsonObject }[]> {
  const rows = await db.read('system', (reader) =>
    reader.selectFrom('outgoing_events').selectAll().where('team_id', '=', team).orderBy('id').execute(),
  )
  return rows.map((row) => ({ event: row.event, data: JSON.parse(testSealing.open(row)) }))
}

export interface DatabaseUrls {
  /** The address for the migration role, which sees past row-level security. */
  adminUrl: string
  tenantUrl: string
  systemUrl: string
}

export interface ScratchDatabase extends DatabaseUrls {
  db: Database
  /** Drops it. */
  close(): Promise<void>
}

/**
 * The content of a scratch database beside the service's own tables; made once, for all databases that are opened with
 * it.
 */
export interface Furnishing {
  name: string
  furnish(urls: DatabaseUrls): Promise<void>
}

interface ScratchOptions {
  /** The folder of other migrations than those of the service. */
  folder?: string
  furnishing?: Furnishing
  /** The services of its transactions, beside the seals of events. */
  services?: Pick<DatabaseServices, 'clock' | 'isBilling'>
}

/** A database of the service: empty, with all migrations applied, and roles as in production. Drop it with `close()`. */
export async function serviceDatabase({ folder, furnishing, services }: ScratchOptions = {}): Promise<ScratchDatabase> {
  const name = newName()
  const urls = urlsOf(name)
  if (folder !== undefined) await createMigrated(name, { folder })
  else {
    const template = await templateWith(furnishing)
    // The usual way writes each page into the log too, and takes twice the processor time.
    await asAdmin((admin) => admin.query(`create database ${name} template ${template} strategy file_copy`))
  }
  const pools = [urls.tenantUrl, urls.systemUrl].map((url) =>
    servicePool({ url, max: 8, applicationName: 'accredit-test' }),
  )
  const [tenant, system] = pools
  if (!tenant || !system) throw new Error('two pools were made')
  const db = openDatabase(tenant, system, { events: testSealing, ...services })
  return {
    ...urls,
    db,
    async close() {
      await db.close()
      await dropDatabase(name)
    },
  }
}

const newName = (): string => `dev_api_${randomBytes(6).toString('hex')}`

function urlsOf(name: string): DatabaseUrls {
  const urlAs = (role?: string): string => {
    const url = new URL(ADMIN_URL)
    url.pathname = `/${name}`
    if (role) Object.assign(url, { username: role, password: ROLES.password })
    return url.href
  }
  return { adminUrl: urlAs(), tenantUrl: urlAs(ROLES.tenant), systemUrl: urlAs(ROLES.system) }
}

async function createMigrated(name: string, options: { folder?: string } = {}): Promise<void> {
  await asAdmin(async (admin) => {
    await admin.query('select pg_advisory_lock(7302102)')
    for (const role of [ROLES.tenant, ROLES.system]) await createRole(admin, role)
    await admin.query(`create database ${name}`)
  })
  const { adminUrl, tenantUrl, systemUrl } = urlsOf(name)
  await migrate({ migrationUrl: adminUrl, tenantUrl, systemUrl, ...options })
}

const templates = new Map<string, Promise<string>>()

/**
 * Returns the name of the database. All files of a worker copy the same, which is quicker than migrating; it is dropped
 * when all tests have run.
 */
function templateWith(furnishing?: Furnishing): Promise<string> {
  const known = templates.get(furnishing?.name ?? '')
  if (known) return known
  const made = createTemplate(furnishing)
  templates.set(furnishing?.name ?? '', made)
  return made
}

async function createTemplate(furnishing?: Furnishing): Promise<string> {
  const name = newName()
  dropAfterAll(name)
  await createMigrated(name)
  await furnishing?.furnish(urlsOf(name))
  return name
}

async function createRole(admin: pg.Client, role: string): Promise<void> {
  const { rowCount } = await admin.query('select 1 from pg_roles where rolname = $1', [role])
  if (rowCount === 0)
    await admin.query(`create role ${role} login nosuperuser nobypassrls password '${ROLES.password}'`)
}

export interface TestTeam {
  team: TeamId
  apiKey: string
  keyId: number
}

/** A team with one API key. */
export async function testTeam(db: Database, role: Role = 'owner', ips: string[] = []): Promise<TestTeam> {
  const apiKey = `${KEY_PREFIX.api.sandbox}${randomBytes(16).toString('hex')}`
  return db.transaction('system', async (tx) => {
    const { id: team } = await tx
      .insertInto('teams')
      .values({ name: 'Test team' })
      .returning('id')
      .executeTakeFirstOrThrow()
    const { id: keyId } = await tx
      .insertInto('api_keys')
      .values({
        team_id: team,
        hash: hashKey(apiKey),
        public_part: apiKey.slice(0, 12),
        role,
        ips,
        alias: null,
        created_by: null,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    return { team, apiKey, keyId }
  })
}

/** Settings of a test: the speed of this machine decides nothing. */
export const PATIENT = { ACCREDIT_TEST: '1', LEDGER_WAIT_MS: '60000' }

export const silentLog = createLog('silent', 'test')
// One pool of threads a process, as in production; it starts with the first check.
const schemaChecks = openSchemaChecks(2_000)
const canonicalHashes = openCanonicalHashes(60_000)
const bbsThreads = openBbsThreads(60_000)
const babyJubJubThreads = openBabyJubJubThreads(60_000)
const bulkPlans = openBulkPlans()
const batchRows = openBatchRows()
/** The least that argon2 takes. */
const SMALL_COST: PasswordCost = { memoryCost: 8, timeCost: 1 }
// Remote services run on this machine in tests.
const guardedFetch = guardedFetcher({ isAllowed: (address) => address === '127.0.0.1', protocols: ['http:'] })
const guardedPost = guardedPoster(receiverGuard({ toLoopback: true }))

/** Returns what the processes give to rules; a service that the test did not give fails when it is used. */
export function testEnvironment(
  scratch: ScratchDatabase,
  given: Partial<Environment> & Partial<ContextServices> = {},
): Environment {
  const config = readConfig({
    DATABASE_URL: scratch.tenantUrl,
    SYSTEM_DATABASE_URL: scratch.systemUrl,
    ...PATIENT,
  })
  const known = {
    config,
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    db: scratch.db,
    deriveKey: testDerivation,
    schemaChecks,
    canonicalHashes,
    bbsThreads,
    babyJubJubThreads,
    bulkPlans,
    batchRows,
    passwordCost: SMALL_COST,
    guardedFetch,
    guardedPost,
    // Each service is known by its own.
    events: { ...testSealing },
    loadStatusMethods: async () => statusMethodsOf(STATUS_METHODS),
    ...given,
  }
  // The tests that need services of upper layers provide them; others must notice, instead of getting undefined.
  return new Proxy(known, {
    get(target, name) {
      if (Reflect.has(target, name)) return Reflect.get(target, name)
      throw new Error(`this test has no ${String(name)}`)
    },
  }) as Environment
}

/** The context of a request with the team's key; headers that it sets stand in `headers`. */
export function testContext(
  scratch: ScratchDatabase,
  team: TestTeam,
  given: Partial<Environment> = {},
): Context & { headers: Map<string, string> } {
  const environment = {
    formats: formatsOf(FORMATS),
    statusMethods: statusMethodsOf(STATUS_METHODS),
    ...testEnvironment(scratch, given),
  }
  const headers = new Map<string, string>()
  const requestId = systemRandom.uuid()
  return {
    ...environment,
    headers,
    requestId,
    rest: (wait) => wait(),
    address: '127.0.0.1',
    accept: undefined,
    acceptLanguage: undefined,
    authorization: undefined,
    contentType: undefined,
    lastEventId: undefined,
    ifMatch: undefined,
    reply: {
      header: (name, value) => void headers.set(name.toLowerCase(), value),
      type: (mediaType) => void headers.set('content-type', mediaType),
      keepWhile: () => undefined,
    },
    isStrict: false,
    ignore: (pointers) => void headers.set('accredit-ignored', pointers.join(', ')),
    team: team.team,
    principal: { kind: 'key', keyId: team.keyId, team: team.team, role: 'owner' },
    scope: { teams: [team.team], actor: `key:${team.keyId}`, requestId },
  }
}
