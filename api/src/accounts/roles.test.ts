/** The role matrix: every operation with every role, by key and by session. */
import './account.tables.js'
import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { buildApp } from '../app.js'
import { ROLES, type Role } from '../platform/database/tables.js'
import { openApiDocument } from '../platform/http/reference/openapi.js'
import { hashKey } from '../platform/security/authentication.js'
import { KEY_PREFIX } from '../platform/security/key-prefix.js'
import { allServed } from '../platform/testing/all-served.js'
import { forAllTests } from '../platform/testing/for-all-tests.js'
import {
  type ScratchDatabase,
  serviceDatabase,
  testEnvironment,
  testTeam,
} from '../platform/testing/scratch-database.js'

interface Operation {
  method: string
  path: string
  operationId: string
  tags: string[]
  security?: Record<string, unknown>[]
  'x-role'?: Role
}

const described = allServed.flatMap(({ operations, described = [] }) => [...operations, ...described])
const document = openApiDocument(described, { apiUrl: 'https://accredit.example', environment: 'sandbox' })
const paths: Record<string, Record<string, Operation>> = JSON.parse(JSON.stringify(document)).paths
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
)
const schemesOf = ({ security }: Operation): string[] => (security ?? [{ apiKey: [] }]).flatMap(Object.keys)
const guarded = operations.filter((operation) => schemesOf(operation).length > 0)
const sponsored = guarded.filter((operation) => schemesOf(operation).includes('sponsorKey'))

/** The capabilities that the specification tells for each role, with the operations that they are made of. */
const TABLE: [capability: string, smallest: Role, is: (operation: Operation) => boolean][] = [
  [
    'Issue, revoke, manage credentials',
    'member',
    ({ tags }) => tags.some((tag) => ['credentials', 'registries', 'revocationStatus', 'vcApi'].includes(tag)),
  ],
  ['Create designs, issuer profiles, verification templates', 'member', ({ tags }) => tags.includes('profiles')],
  ['Remove team members', 'administrator', ({ operationId }) => operationId === 'removeTeamMember'],
  [
    'Invite team members',
    'administrator',
    ({ operationId }) => /Invitation/.test(operationId) && isOfTeam(operationId),
  ],
  ['Manage subscription and billing', 'owner', ({ operationId }) => /Subscription|Statement/.test(operationId)],
]
const isOfTeam = (operationId: string): boolean => /Team/.test(operationId) && operationId !== 'acceptTeamInvitation'

/** The roles that the table leaves open. Everything else is for members. */
const DECIDED: Record<Exclude<Role, 'member'>, RegExp> = {
  owner: /^(transferTeam|exportDid|deleteData|deleteAccount|(get|update)Subscription|(get|list)Statements?)$/,
  administrator:
    /^((create|list|update|delete|rotate)Keys?|\w*SubAccount\w*|updateTeam|(invite|update|remove)TeamMembers?|(list|resend|cancel)TeamInvitations?|listTeamAudit|exportData|listSweptRows|createErasure|listErasures|getErasure)$/,
}

const opened = forAllTests(async () => {
  const scratch = await serviceDatabase()
  // Nothing is carried out: what is tested comes before it.
  const served = allServed.map(({ operations: some, ...part }) => ({
    ...part,
    operations: some.map((op) => ({ ...op, handler: async () => ({}) })),
  }))
  const app = await buildApp(testEnvironment(scratch), served)
  const callers = await Promise.all(
    ROLES.map(async (role) => {
      const { apiKey, team } = await testTeam(scratch.db, role)
      return { role, apiKey, session: await sessionOf(scratch, team, role) }
    }),
  )
  return { app, callers, close: () => app.close().then(scratch.close) }
})

async function sessionOf({ db }: ScratchDatabase, team: Awaited<ReturnType<typeof testTeam>>['team'], role: Role) {
  const token = KEY_PREFIX.session.sandbox + randomBytes(32).toString('hex')
  await db.transaction('system', async (tx) => {
    const { id } = await tx
      .insertInto('users')
      .values({ name: role, email: null })
      .returning('id')
      .executeTakeFirstOrThrow()
    await tx.insertInto('team_members').values({ team_id: team, user_id: id, role }).execute()
    const now = new Date()
    const session = { team_id: team, user_id: id, hash: hashKey(token), created: now }
    await tx
      .insertInto('sessions')
      .values({ ...session, expires: new Date(now.getTime() + 3_600_000) })
      .execute()
  })
  return token
}

async function statusOf({ method, path }: Operation, headers: Record<string, string>): Promise<number> {
  const url = path.replace(/\{\w+\}/g, '1')
  const { statusCode } = await opened().app.inject({ method: method as 'GET', url, headers })
  return statusCode
}

test('every operation that asks who calls declares the smallest role that may call', () => {
  expect(guarded.length).toBeGreaterThan(70)
  const undeclared = guarded.filter((operation) => operation['x-role'] === undefined && !sponsored.includes(operation))
  expect(undeclared.map(({ operationId }) => operationId)).toEqual([])
  const needless = operations.filter((operation) => operation['x-role'] && !guarded.includes(operation))
  expect(needless.map(({ operationId }) => operationId)).toEqual([])
})

describe('the declared roles are those of the specification', () => {
  test.each(TABLE)('%s: %s and above', (_capability, smallest, is) => {
    const some = guarded
      .filter(is)
      .filter(({ operationId }) => smallest === 'owner' || !DECIDED.owner.test(operationId))
    expect(some.length).toBeGreaterThan(0)
    for (const operation of some)
      expect([operation.operationId, operation['x-role']]).toEqual([operation.operationId, smallest])
  })

  test('and those that were decided, where it says nothing', () => {
    const decided = ({ operationId }: Operation): Role =>
      DECIDED.owner.test(operationId) ? 'owner' : DECIDED.administrator.test(operationId) ? 'administrator' : 'member'
    const known = guarded.filter((operation) => !sponsored.includes(operation))
    const named = (roleOf: (operation: Operation) => Role | undefined) =>
      Object.fromEntries(known.map((operation) => [operation.operationId, roleOf(operation)]))
    expect(named((operation) => operation['x-role'])).toEqual(named(decided))
  })
})

test('each role opens the operations that are for it, by key and by session, and is refused with 403 by all others', async () => {
  const rows: string[][] = []
  for (const operation of guarded.filter((one) => !sponsored.includes(one))) {
    const schemes = schemesOf(operation)
    const cells: string[] = []
    for (const { role, apiKey, session } of opened().callers)
      for (const [scheme, header, secret] of [
        ['apiKey', 'svc-api-token', apiKey],
        ['session', 'svc-web-token', session],
      ] as const) {
        const status = await statusOf(operation, { [header]: secret })
        const isEnough = ROLES.indexOf(role) <= ROLES.indexOf(operation['x-role'] ?? 'owner')
        const allowed = schemes.includes(scheme) && isEnough
        const refusal = schemes.includes(scheme) ? 403 : 401
        const place = [operation.operationId, role, scheme]
        expect([...place, status === 401 || status === 403 ? status : 'open']).toEqual([
          ...place,
          allowed ? 'open' : refusal,
        ])
        cells.push(allowed ? 'yes' : '-')
      }
    rows.push([`${operation.method} ${operation.path}`, ...cells])
  }
  const head = ['', ...ROLES.flatMap((role) => [`${role}: key`, 'session'])]
  await expect(table([head, ...rows.sort(byName)])).toMatchFileSnapshot('role-matrix.txt')
})

const byName = ([a = '']: string[], [b = '']: string[]): number => (placeOf(a) < placeOf(b) ? -1 : 1)
const placeOf = (name: string): string => name.split(' ').reverse().join(' ')

function table(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const line = (row: string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  return `${rows.map(line).join('\n')}\n`
}
