import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { secretsFrom } from '@accredit/process/secret-files'
import { createApiKey, findTeam, type ListedKey, listKeys, type NewKey, revokeKeys } from './accounts/keys/api-key.js'
import { isAddressOrRange } from './accounts/keys/ip-list.js'
import { type Config, readConfig } from './config.js'
import { parseLastingInstant } from './ledger/read/instant.js'
import type { Database, Reader } from './platform/database/database.js'
import type { TeamId } from './platform/database/ids.js'
import { openDatabase } from './platform/database/open-database.js'
import { servicePool } from './platform/database/pool.js'
import { ROLES } from './platform/database/tables.js'
import { BRIEFLY_MS } from './platform/process/brief-memory.js'
import { systemClock } from './platform/process/clock.js'
import { runProcess } from './platform/process/process.js'
import { systemRandom } from './platform/process/random.js'
import { ConfigError } from './settings.js'

const USAGE = `npm run key -- list [--team ID]              the keys that open something; never the keys themselves
npm run key -- create [options]               a further key, shown once
npm run key -- revoke KEY                     ends a key for good, within a second; KEY is its public part, as in the list
  --team ID        the team; default the first
  --role ROLE      owner, administrator or member (default)
  --alias TEXT     what it is called in the list
  --ips A,B        addresses and CIDR ranges that may use it; default any
  --expires DATE   ISO 8601: 2027-01-31, or an instant with its time zone
  --sponsor        a sponsor's key (X-MOBILE-SPONSOR-KEY), which opens no other operation
  --json           the list for programs
Where it runs here: --env sandbox|production, --state FOLDER. In the production shape:
docker compose exec api node api/dist/key.js list`

const refusal = (sentence: string): ConfigError => new ConfigError(`${sentence}\n${USAGE}`)

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        team: { type: 'string' },
        role: { type: 'string' },
        alias: { type: 'string' },
        ips: { type: 'string' },
        expires: { type: 'string' },
        sponsor: { type: 'boolean' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (error) {
    throw refusal(error instanceof Error ? error.message : String(error))
  }
}

type Values = ReturnType<typeof readArguments>['values']

/** The options that each command knows; any other is refused, since its caller meant something. */
const OPTIONS: Record<string, readonly (keyof Values)[]> = {
  list: ['team', 'json'],
  create: ['team', 'role', 'alias', 'ips', 'expires', 'sponsor'],
  revoke: [],
}

async function main(): Promise<void> {
  const { values, positionals } = readArguments()
  if (values.help) return void process.stdout.write(`${USAGE}\n`)
  const [command = '', key, ...more] = positionals
  const known = OPTIONS[command]
  if (known === undefined) throw refusal(command === '' ? 'A command is missing.' : `There is no command ${command}.`)
  const other = Object.keys(values).find((name) => !known.some((one) => one === name))
  if (other !== undefined) throw refusal(`--${other} means nothing for ${command}.`)
  if (more.length > 0 || (key !== undefined) !== (command === 'revoke'))
    throw refusal(command === 'revoke' ? 'revoke takes the public part of one key.' : `${command} takes options only.`)
  const config = readConfig(secretsFrom(process.env))
  const now = new Date()
  const wanted = command === 'create' ? newKey(values, now) : undefined
  const team = values.team === undefined ? undefined : teamOf(values.team)
  const pool = servicePool({ url: config.database.systemUrl, max: 1, applicationName: 'accredit-key' })
  const db = openDatabase(pool, pool)
  try {
    if (key !== undefined) await revoke(db, config, key)
    else if (wanted) await create(db, config, wanted, team)
    else await list(db, team, values.json ?? false, now)
  } finally {
    await db.close()
  }
}

function newKey({ role, alias, ips, expires, sponsor }: Values, now: Date): Omit<NewKey, 'team'> {
  const known = ROLES.find((one) => one === (role ?? 'member'))
  if (known === undefined) throw refusal(`--role is "${role}": expected one of ${ROLES.join(', ')}.`)
  if (sponsor && role !== undefined) throw refusal("A sponsor's key has no role.")
  if (alias !== undefined && (alias.trim() === '' || alias.length > 200))
    throw refusal('--alias is a text of at most 200 characters.')
  return {
    role: known,
    kind: sponsor ? 'sponsor' : 'api',
    ...(alias !== undefined && { alias: alias.trim() }),
    ...(ips !== undefined && { ips: addresses(ips) }),
    ...(expires !== undefined && { expires: future(expires, now) }),
  }
}

function teamOf(text: string): number {
  const id = Number(text)
  if (!Number.isSafeInteger(id) || id < 1) throw refusal(`--team is "${text}": expected the number of a team.`)
  return id
}

function addresses(text: string): string[] {
  const entries = text.split(',').map((entry) => entry.trim())
  const wrong = entries.find((entry) => !isAddressOrRange(entry))
  if (wrong !== undefined)
    throw refusal(`--ips holds "${wrong}": expected addresses and CIDR ranges, with commas between.`)
  return entries
}

function future(text: string, now: Date): Date {
  const instant = parseLastingInstant(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00Z` : text)
  if (instant === undefined)
    throw refusal(`--expires is "${text}": expected a date as 2027-01-31, or an instant as 2027-01-31T12:00:00Z.`)
  if (instant <= now) throw refusal(`--expires is "${text}", which is over.`)
  return instant
}

async function create(db: Database, config: Config, wanted: Omit<NewKey, 'team'>, asked: number | undefined) {
  const made = await db.transaction('system', async (tx) => {
    const team = await teamFor(tx, asked)
    const key = await createApiKey(tx, { config, random: systemRandom }, { ...wanted, team })
    await tx.audit({
      action: 'createKey',
      subject: key.publicPart,
      team,
      after: { role: wanted.role, ips: wanted.ips ?? [] },
    })
    return { ...key, team }
  })
  process.stdout.write(
    `Key ${made.publicPart} of team ${made.team} was made.\nKey  ${made.apiKey}\nThe key is shown only now.\n`,
  )
}

async function teamFor(reader: Reader, asked: number | undefined): Promise<TeamId> {
  const team = await findTeam(reader, asked)
  if (team === undefined)
    throw new ConfigError(asked === undefined ? 'There is no team yet.' : `There is no team ${asked}.`)
  return team
}

async function revoke(db: Database, config: Config, key: string): Promise<void> {
  const teams = await db.transaction('system', (tx) => revokeKeys(tx, { config, clock: systemClock }, key))
  if (teams.length === 0)
    throw new ConfigError(`No key has the public part ${key.slice(0, 20)}: see npm run key -- list`)
  // Until then a replica may remember that it was right.
  await setTimeout(BRIEFLY_MS)
  process.stdout.write(`Key ${key} of team ${teams.join(', ')} is revoked: it opens nothing from now on.\n`)
}

async function list(db: Database, asked: number | undefined, isForPrograms: boolean, now: Date): Promise<void> {
  const keys = await db.read('system', async (reader) =>
    listKeys(reader, asked === undefined ? undefined : await teamFor(reader, asked)),
  )
  if (isForPrograms) process.stdout.write(`${JSON.stringify({ keys })}\n`)
  else
    process.stdout.write(keys.length === 0 ? 'There is no key.\n' : keys.map((key) => `${line(key, now)}\n`).join(''))
}

function line({ key, kind, team, teamName, role, alias, ips, created, expires }: ListedKey, now: Date): string {
  const facts = [
    `team ${team}${teamName === null ? '' : ` (${teamName})`}`,
    kind === 'sponsor' ? 'sponsor' : role,
    `made ${created.toISOString()}`,
    expires && `${expires <= now ? 'expired' : 'expires'} ${expires.toISOString()}`,
    ips.length > 0 && `from ${ips.join(', ')}`,
    alias !== null && `"${alias}"`,
  ]
  return [key, ...facts.filter((fact) => fact)].join('  ')
}

const UNDEFINED_COLUMN = '42703'
const UNDEFINED_TABLE = '42P01'

await runProcess('key', () =>
  main().catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === UNDEFINED_COLUMN || code === UNDEFINED_TABLE)
      throw new ConfigError('The database is not prepared for this version yet: start Accredit once.')
    throw error
  }),
)
