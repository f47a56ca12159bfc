import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mailServer } from '../api/src/accounts/mail/mail-server.testing.js'
import { startTestStack, type TestStack } from './support/stack.js'

// Two companies and three people each, over two months: each test goes on where the one before ended.

const PLANS = { default: 'company', plans: { company: { transactions: 14, members: 3, subAccounts: 2 } } }

interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: the story looks at whatever was answered
  body: any
  headers: Headers
}

interface Person {
  email: string
  session: string
  userId: number
}

interface Account {
  team: number
  key: string
  did: string
}

interface Company extends Account {
  name: string
  owner: Person
  administrator: Person
  member: Person
}

let stack: TestStack
let smtp: Awaited<ReturnType<typeof mailServer>>
let folder: string
let client: pg.Client

beforeAll(async () => {
  ;[smtp, folder] = await Promise.all([mailServer(), mkdtemp(join(tmpdir(), 'accredit-companies-'))])
  process.env.SMTP_URL = smtp.url
  process.env.PLANS_FILE = join(folder, 'plans.json')
  await writeFile(process.env.PLANS_FILE, JSON.stringify(PLANS))
  stack = await startTestStack('production')
  client = new pg.Client({ connectionString: stack.databaseUrl })
  await client.connect()
  await turnTo(middleOfMonth(1))
})
afterAll(async () => {
  await client?.end()
  await stack?.remove()
  await smtp?.close()
  delete process.env.SMTP_URL
  delete process.env.PLANS_FILE
  await rm(folder, { recursive: true, force: true })
})

/** Noon of the tenth, so many months after this one: whatever the tests take, it stays the same month. */
const middleOfMonth = (later: number): Date => {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + later, 10, 12))
}
const turnTo = (instant: Date) => stack.turnClock(instant.getTime() - Date.now())
const nameOf = (month: Date): string => month.toISOString().slice(0, 7)
const [FIRST, SECOND] = [middleOfMonth(1), middleOfMonth(2)]

type Secret = { key: string } | { session: string } | undefined

async function ask(
  secret: Secret,
  method: string,
  path: string,
  body?: object,
  more: Record<string, string> = {},
): Promise<Answer> {
  const answer = await fetch(`${stack.apiUrl}${path}`, {
    method,
    headers: {
      ...(secret && ('key' in secret ? { 'svc-api-token': secret.key } : { 'svc-web-token': secret.session })),
      ...(body && { 'content-type': 'application/json' }),
      ...more,
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  const isJson = /json/.test(answer.headers.get('content-type') ?? '')
  return { status: answer.status, body: isJson ? JSON.parse(text) : text, headers: answer.headers }
}

/** Asks for what has to be done. */
async function done(...asked: Parameters<typeof ask>): Promise<Answer['body']> {
  const { status, body } = await ask(...asked)
  expect(body, `${asked[1]} ${asked[2]}`).toSatisfy(() => status === 200)
  return body
}

/** Returns the token of the next mail to an address. */
async function tokenFor(email: string, before: number): Promise<string> {
  const found = () => smtp.mails.slice(before).findLast(({ to }) => to.includes(email))
  await expect.poll(() => found() !== undefined, { timeout: 60_000 }).toBe(true)
  return /#token=(ot_\w+)/.exec(found()?.text ?? '')?.[1] ?? ''
}

async function signIn(email: string, more: object = {}): Promise<Person & { teamId: number }> {
  const before = smtp.mails.length
  await done(undefined, 'POST', '/auth/links', { email })
  const token = await tokenFor(email, before)
  const { token: session, userId, teamId } = await done(undefined, 'POST', '/auth/sessions', { token, ...more })
  return { email, session, userId, teamId }
}

/** An invited person accepts by the mail, and signs in to the team. */
async function joins(owner: Person & { teamId: number }, email: string, role: string): Promise<Person> {
  const before = smtp.mails.length
  await done(owner, 'POST', `/teams/${owner.teamId}/invite`, { emails: [email], role })
  const token = await tokenFor(email, before)
  const alone = await signIn(email)
  await done(alone, 'POST', '/teams/accept-member-invite', { accept_invitation_token: token })
  return signIn(email, { teamId: owner.teamId })
}

/** A DID on the ledger: one ledger action, which is final when this returns. */
async function didOf(key: string): Promise<string> {
  const { id, did } = await done({ key }, 'POST', '/dids', {})
  await expect
    .poll(async () => (await ask({ key }, 'GET', `/jobs/${id}`)).body.status, { timeout: 120_000 })
    .toBe('finalized')
  return did
}

async function company(name: string): Promise<Company> {
  const owner = await signIn(`owner@${name}.example`)
  const administrator = await joins(owner, `administrator@${name}.example`, 'administrator')
  const member = await joins(owner, `member@${name}.example`, 'member')
  const { jwt: key } = await done(administrator, 'POST', '/keys', { role: 'administrator', alias: 'Server' })
  return { name, owner, administrator, member, team: owner.teamId, key, did: await didOf(key) }
}

async function subAccount(parent: Company, name: string): Promise<Account> {
  const { id } = await done(parent.administrator, 'POST', '/subaccounts', { name })
  const { token } = await done(parent.administrator, 'POST', `/subaccounts/${id}/keys`, { role: 'administrator' })
  const { did } = await done({ key: token }, 'POST', '/dids', { type: 'key' })
  return { team: id, key: token, did }
}

const credentialOf = ({ did }: Account) => ({
  credential: { issuer: did, subject: { id: `did:example:${randomUUID()}`, degree: 'M.Sc. Physics' } },
})
const issue = (account: Account, more: Record<string, string> = {}) =>
  ask({ key: account.key }, 'POST', '/credentials', credentialOf(account), more)

let alpha: Company
let beta: Company
let engineering: Account
let medicine: Account

/** The things that the companies did, by account and month: the story writes them down as it goes. */
const did: Record<string, { credential: number; verification: number; ledgerAction: number }> = {}
function note(team: number, month: Date, kind: 'credential' | 'verification' | 'ledgerAction', count = 1): void {
  const at = `${team} ${nameOf(month)}`
  const counts = did[at] ?? { credential: 0, verification: 0, ledgerAction: 0 }
  did[at] = { ...counts, [kind]: counts[kind] + count }
}

test('two companies sign up by mail, invite their people, and no more than their plan has', async () => {
  ;[alpha, beta] = await Promise.all([company('alpha'), company('beta')])
  for (const { team } of [alpha, beta]) note(team, FIRST, 'ledgerAction')
  const fourth = await ask(alpha.owner, 'POST', `/teams/${alpha.team}/invite`, { emails: ['fourth@alpha.example'] })
  expect(fourth).toMatchObject({ status: 402, body: { type: 'limit_reached' } })
  expect(await ask(alpha.member, 'POST', '/subaccounts', { name: 'Mine' })).toMatchObject({ status: 403 })
  ;[engineering, medicine] = [await subAccount(alpha, 'Engineering'), await subAccount(alpha, 'Medicine')]
  const { body } = await ask(alpha.owner, 'GET', '/data/notifications')
  expect(body.list.map(({ type }: { type: string }) => type)).toEqual(['invitation_accepted', 'invitation_accepted'])
})

test('in the first month retries, refusals and dry runs count nothing, and everything else once', async () => {
  for (const [account, count] of [
    [alpha, 2],
    [engineering, 3],
    [medicine, 1],
    [beta, 2],
  ] as const)
    for (let made = 0; made < count; made++) {
      expect((await issue(account)).status).toBe(200)
      note(account.team, FIRST, 'credential')
    }
  const retry = { 'idempotency-key': randomUUID() }
  const body = credentialOf(engineering)
  const answers = [1, 2, 3].map(() => ask({ key: engineering.key }, 'POST', '/credentials', body, retry))
  const [first] = (await Promise.all(answers)).filter(({ status }) => status === 200)
  expect(first).toBeDefined()
  expect((await ask({ key: engineering.key }, 'POST', '/credentials', body, retry)).body).toEqual(first?.body)
  note(engineering.team, FIRST, 'credential')
  const refused = await ask({ key: alpha.key }, 'POST', '/credentials', {
    credential: { issuer: beta.did, subject: {} },
  })
  expect(refused.status).toBe(404)
  expect((await ask({ key: alpha.key }, 'POST', '/credentials?dryRun=true', credentialOf(alpha))).status).toBe(200)
  for (const account of [beta, medicine]) {
    const verified = await ask({ key: account.key }, 'POST', '/verify', first?.body)
    expect(verified.body.verified).toBe(true)
    expect(verified.headers.get('ratelimit-limit')).toBe('200')
    note(account.team, FIRST, 'verification')
  }
  expect((await ask({ key: beta.key }, 'POST', '/verify', { data: 'nothing at all' })).body.verified).toBe(false)
  note(beta.team, FIRST, 'verification')
  expect((await ask({ key: beta.key }, 'POST', '/verify', {})).status).toBe(400)
})

test('the plan of a company ends at its last place, whoever of its accounts asks', async () => {
  const { transactions } = (await ask(alpha.owner, 'GET', '/data/limits')).body
  expect(transactions).toEqual({ limit: 14, used: 9, onTheirWay: 0 })
  const accounts = [alpha, engineering, medicine, alpha, engineering, medicine, alpha, engineering]
  const answers = await Promise.all(accounts.map((account) => issue(account)))
  for (const [index, { status }] of answers.entries())
    if (status === 200) note(accounts[index]?.team ?? 0, FIRST, 'credential')
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 402, 402, 402])
  expect((await ask({ key: alpha.key }, 'POST', '/dids', {})).body.type).toBe('limit_reached')
  expect((await issue(beta)).status).toBe(200)
  note(beta.team, FIRST, 'credential')
  const { list } = (await ask(alpha.owner, 'GET', '/data/notifications')).body
  expect(list.slice(0, 2).map(({ type }: { type: string }) => type)).toEqual(['plan_limit_reached', 'plan_limit_near'])
})

test('a new month has new places, and the month that ended a final statement', async () => {
  await turnTo(SECOND)
  for (const one of [alpha, beta]) one.owner = await signIn(one.owner.email, { teamId: one.team })
  alpha.administrator = await signIn(alpha.administrator.email, { teamId: alpha.team })
  for (const account of [alpha, medicine, beta]) {
    expect((await issue(account)).status).toBe(200)
    note(account.team, SECOND, 'credential')
  }
  await didOf(engineering.key)
  note(engineering.team, SECOND, 'ledgerAction')
  const months = (await ask(alpha.owner, 'GET', '/data/statements')).body
  expect(months).toMatchObject([
    { month: nameOf(SECOND), isFinal: false },
    { month: nameOf(FIRST), total: 14, isFinal: true },
  ])
})

test('a person who leaves a company has nothing of it a second later, and its keys stay', async () => {
  const member = await signIn(alpha.member.email, { teamId: alpha.team })
  expect((await ask(member, 'GET', '/data/limits')).status).toBe(200)
  const left = await done(alpha.administrator, 'DELETE', `/teams/${alpha.team}/members/${member.userId}`)
  expect(left.keys).toEqual([])
  await expect.poll(async () => (await ask(member, 'GET', '/data/limits')).status, { timeout: 5000 }).toBe(401)
  expect((await ask({ key: alpha.key }, 'GET', '/data/limits')).status).toBe(200)
})

/** Counts the rows of the service itself. */
async function rows(text: string, values: unknown[]): Promise<number> {
  const answer = await client.query<{ count: string }>(`select count(*) as count from ${text}`, values)
  return Number(answer.rows[0]?.count)
}

test('statements, the audit, the tables and what the companies did agree, by month and account', () =>
  expectAgreement())

/** @param withActions false once the jobs of the first month are over: they are kept for 30 days */
async function expectAgreement(withActions = true): Promise<void> {
  for (const { owner, accounts } of [
    { ...alpha, accounts: [alpha, engineering, medicine] },
    { ...beta, accounts: [beta] },
  ])
    for (const month of [FIRST, SECOND]) {
      const { body: statement } = await ask(owner, 'GET', `/data/statements/${nameOf(month)}`)
      const table = await ask(owner, 'GET', `/data/statements/${nameOf(month)}`, undefined, { accept: 'text/csv' })
      for (const account of accounts) {
        const expected = did[`${account.team} ${nameOf(month)}`] ?? { credential: 0, verification: 0, ledgerAction: 0 }
        for (const [kind, count] of Object.entries(expected)) {
          const at = `${account.team} ${nameOf(month)} ${kind}`
          const lines = statement.lines.filter(
            (line: { account: number; kind: string }) => line.account === account.team && line.kind === kind,
          )
          expect(
            lines.map((line: { count: number }) => line.count),
            at,
          ).toEqual(count === 0 ? [] : [count])
          if (count > 0)
            expect(table.body).toMatch(new RegExp(`^${nameOf(month)},${account.team},.*,${kind},${count}\r$`, 'm'))
          const inTable = await rows(
            `service.billed_transactions where team_id = $1 and kind = $2 and to_char(at at time zone 'UTC', 'YYYY-MM') = $3`,
            [account.team, kind, nameOf(month)],
          )
          expect(inTable, at).toBe(count)
        }
        const inAudit = (action: string) => rowsOfAudit(account.key, account.team, action, month)
        expect(await inAudit('issueCredential')).toBe(expected.credential)
        const onLedger = await rows(
          `service.ledger_actions where team_id = $1 and state = 'done' and to_char((select b.time from ledger.block b where b.height = block_height) at time zone 'UTC', 'YYYY-MM') = $2`,
          [account.team, nameOf(month)],
        )
        if (withActions) expect(onLedger).toBe(expected.ledgerAction)
      }
      expect(statement.total).toBe(
        statement.lines.reduce((sum: number, { count }: { count: number }) => sum + count, 0),
      )
    }
}

/** Counts what the audit of an account tells of a month, as its own people read it. */
async function rowsOfAudit(key: string, team: number, action: string, month: Date): Promise<number> {
  const from = `${nameOf(month)}-01`
  const to = new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1, 0)).toISOString().slice(0, 10)
  const { list } = await done({ key }, 'GET', `/teams/${team}/audit?action=${action}&from=${from}&to=${to}&limit=1000`)
  return list.length
}

/** Waits for something that the worker carries out. */
const ended = (path: string, secret: Secret) =>
  expect.poll(async () => (await ask(secret, 'GET', path)).body.status, { timeout: 60_000 }).toBe('finalized')

test('data goes when the policy of its company says so, and the bill stays', async () => {
  const credentials = () => rows('service.credentials where team_id = $1', [beta.team])
  expect(await credentials()).toBe(4)
  const policy = { name: 'Beta', retentionPolicy: { credentials: 3600 } }
  await done({ key: beta.key }, 'PATCH', `/teams/${beta.team}`, policy)
  const before = (await ask(beta.owner, 'GET', `/data/statements/${nameOf(SECOND)}`)).body
  await turnTo(new Date(SECOND.getTime() + 2 * 3_600_000))
  // The next worker looks at once.
  process.kill(stack.pids().worker ?? 0, 'SIGKILL')
  await expect.poll(credentials, { timeout: 60_000 }).toBe(0)
  beta.owner = await signIn(beta.owner.email, { teamId: beta.team })
  expect((await ask(beta.owner, 'GET', `/data/statements/${nameOf(SECOND)}`)).body).toEqual(before)
  const { list } = (await ask(beta.owner, 'GET', '/data/notifications')).body
  expect(list[0]).toMatchObject({ type: 'retention_report', data: { kind: 'credentials', policy: 'credentials' } })
})

test('a person is erased from what a company keeps, and the bill stays', async () => {
  const graduate = `did:example:${randomUUID()}`
  const { credential } = credentialOf(medicine)
  const issued = { credential: { ...credential, subject: { ...credential.subject, id: graduate } } }
  const { id } = await done({ key: medicine.key }, 'POST', '/credentials', issued)
  note(medicine.team, SECOND, 'credential')
  const path = `/credentials/${encodeURIComponent(id)}`
  expect((await ask({ key: medicine.key }, 'GET', path)).status).toBe(200)
  const erasure = await done({ key: medicine.key }, 'POST', '/data/erasures', { subjectRef: graduate })
  await ended(`/data/erasures/${erasure.id}`, { key: medicine.key })
  expect((await ask({ key: medicine.key }, 'GET', path)).status).toBe(404)
  await expectAgreement(false)
})

test('a sub-account and a company are deleted, and at the end every bill is what it was', async () => {
  const parent = alpha.administrator
  const { deletion } = await done(parent, 'DELETE', `/subaccounts/${medicine.team}`)
  const { deletions } = await done(beta.owner, 'POST', '/data/delete', { validation: beta.owner.email })
  await expect
    .poll(async () => (await ask({ key: beta.key }, 'GET', '/data/limits')).status, { timeout: 5000 })
    .toBe(401)
  for (const id of [deletion, ...deletions].filter(Boolean)) await ended(`/data/deletions/${id}`, undefined)
  expect(await rows('service.teams where id = any($1)', [[medicine.team, beta.team]])).toBe(0)
  expect(await rows('service.audit where team_id = any($1)', [[medicine.team, beta.team]])).toBe(0)
  alpha.owner = await signIn(alpha.owner.email, { teamId: alpha.team })
  for (const month of [FIRST, SECOND]) {
    const { lines, total } = (await ask(alpha.owner, 'GET', `/data/statements/${nameOf(month)}`)).body
    const expected = [alpha, engineering, medicine].flatMap(({ team }) =>
      Object.values(did[`${team} ${nameOf(month)}`] ?? {}),
    )
    expect(total).toBe(expected.reduce((sum, count) => sum + count, 0))
    const ofMedicine = lines.filter(({ account }: { account: number }) => account === medicine.team)
    for (const { accountName } of ofMedicine) expect(accountName).toBe(null)
    for (const [kind, count] of Object.entries(did[`${beta.team} ${nameOf(month)}`] ?? {})) {
      const answer = await client.query<{ sum: string }>(
        `select coalesce(sum(count), 0) as sum from service.billed_counts
         where payer_id = $1 and kind = $2 and to_char(day, 'YYYY-MM') = $3`,
        [beta.team, kind, nameOf(month)],
      )
      expect(Number(answer.rows[0]?.sum), `beta ${nameOf(month)} ${kind}`).toBe(count)
    }
  }
})
