import { randomUUID } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { beforeEach, expect, test } from 'vitest'
import { endOpenings } from '../accounts/end-openings.store.js'
import { recipientMark } from '../accounts/mail/mail.store.js'
import { withSession } from '../accounts/people.testing.js'
import { entriesThatCount } from '../platform/database/tell-journal.js'
import { appendToJournal, readJournal } from '../platform/process/erasure-journal.js'
import { forAllTests } from '../platform/testing/for-all-tests.js'
import { sentStatements } from '../platform/testing/sent-statements.js'
import { applyJournal } from './apply-journal.js'
import { forgetAddresses } from './forget-addresses.js'
import { journalWorld } from './journal.testing.js'

const world = forAllTests(() => journalWorld())
const journal = () => world().journal
beforeEach(() => rm(journal(), { force: true }))

type Person = Awaited<ReturnType<ReturnType<typeof world>['signInAnyone']>>
const rows = (text: string, ...values: unknown[]) => world().rows(text, ...values)
const newAddress = () => `${randomUUID()}@company.example`
const apply = () => applyJournal(world().environment)
const ask = async (
  { session }: Pick<Person, 'session'>,
  method: string,
  url: string,
  body?: object,
  headers: Record<string, string> = {},
) => {
  const answer = await withSession(world().app, session, method, url, body, headers)
  return { status: answer.statusCode, body: answer.json() }
}

async function invite(boss: Person, email: string): Promise<void> {
  const body = { emails: [email], role: 'administrator' }
  const answer = await ask(boss, 'POST', `/teams/${boss.teamId}/invite`, body, { 'idempotency-key': randomUUID() })
  expect(answer.status).toBe(200)
}

/** Invites somebody by a mail that could not be sent yet, and is tried again later. */
async function inviteWithoutMail(boss: Person, email: string): Promise<void> {
  const { smtp, delivered } = world()
  smtp.state.refuses = true
  await invite(boss, email)
  await delivered()
  smtp.state.refuses = false
}

/** The parts of an address, and the teams that they are about. */
async function teamsWith(email: string) {
  const teams = async (table: string, where: string, value: unknown) =>
    (await rows(`select team_id::int as team from service.${table} where ${where}`, value)).map(({ team }) => team)
  return {
    invitations: await teams('team_invitations', 'email = $1', email),
    mails: await teams('outgoing_mails', 'recipient = $1', markOf(email)),
    audit: await teams('audit', `after ->> 'email' = $1`, email),
  }
}
const markOf = (email: string) => recipientMark(world().environment, email)

/** The tables in which an address stands. */
async function placesOf(email: string): Promise<string[]> {
  const found: string[] = []
  for (const table of ['users', 'team_invitations', 'sign_in_links', 'audit', 'idempotency_keys'])
    if ((await rows(`select from service.${table} t where t::text like '%' || $1 || '%'`, email)).length > 0)
      found.push(table)
  if ((await rows('select from service.outgoing_mails where recipient = $1', markOf(email))).length > 0)
    found.push('outgoing_mails')
  return found
}

/** Keeps the rows of an invited address, as a copy does. @returns what puts them back */
async function copyOf(email: string): Promise<() => Promise<void>> {
  const taken = async (table: string, where = 'lower(email)', value: unknown = email) =>
    (await rows(`select t::text as row from service.${table} t where ${where} = $1`, value)).map(({ row }) => row)
  const invitations = await taken('team_invitations')
  const mails = await taken('outgoing_mails', 'recipient', markOf(email))
  const links = await taken('sign_in_links')
  const audit = await rows(`select id, after::text as after from service.audit where after ->> 'email' = $1`, email)
  return async () => {
    for (const [table, some] of Object.entries({
      team_invitations: invitations,
      outgoing_mails: mails,
      sign_in_links: links,
    }))
      for (const row of some)
        await rows(`insert into service.${table} overriding system value select ($1::service.${table}).*`, row)
    for (const { id, after } of audit) await rows('update service.audit set after = $2::jsonb where id = $1', id, after)
  }
}

/** Invites somebody, who signs up then and deletes the account. */
async function inviteAndForget() {
  const [boss, email] = [await world().signInAnyone(), newAddress()]
  await inviteWithoutMail(boss, email)
  const back = await copyOf(email)
  const leaver = await world().signIn(email)
  expect((await ask(leaver, 'POST', '/data/accountdelete', { validation: email })).status).toBe(200)
  expect(await placesOf(email)).toEqual([])
  return { boss, email, back, leaver }
}

test('an invitation opens nothing in a restored copy, and is canceled as people cancel one', async () => {
  const [boss, email] = [await world().signInAnyone(), newAddress()]
  await invite(boss, email)
  const token = await world().token(email)
  await invite(boss, newAddress())
  const mails = () => rows('select from service.outgoing_mails where team_id = $1', boss.teamId)
  expect(await mails()).toHaveLength(1)
  const ended = await world().environment.db.transaction('system', (tx) => endOpenings(tx, world().clock.now()))
  expect(ended.invitations).toBe(2)
  expect(ended.signIns).toBeGreaterThan(0)
  // A mail that waits has a token that opens nothing.
  expect(await mails()).toEqual([])
  const [invited, again] = [await world().signIn(email), await world().signIn(boss.email)]
  const accepted = await ask(invited, 'POST', '/teams/accept-member-invite', { accept_invitation_token: token })
  expect(accepted.body).toMatchObject({ type: 'invite_token_expired' })
  const url = `/teams/${boss.teamId}`
  const { list } = (await ask(again, 'GET', `${url}/audit?action=cancelTeamInvitation`)).body
  const change = { before: { status: 'pending' }, after: { status: 'canceled' }, actor: 'system' }
  expect(list).toMatchObject([change, change])
  // The address can be invited again.
  await invite(again, email)
  expect((await ask(again, 'GET', `${url}/invitations?status=pending`)).body).toMatchObject([{ email }])
})

test('a person who signed up after a copy was made, and deleted the account, is forgotten in it', async () => {
  const { email, back } = await inviteAndForget()
  const [other, boss] = [newAddress(), await world().signInAnyone()]
  await inviteWithoutMail(boss, other)
  await back()
  expect(await placesOf(email)).toEqual(['team_invitations', 'audit', 'outgoing_mails'])
  expect(await readFile(journal(), 'utf8')).not.toContain(email)
  expect(await apply()).toEqual({ erasures: 1, departures: 0, keys: 0 })
  expect(await placesOf(email)).toEqual([])
  expect(await placesOf(other)).toEqual(['team_invitations', 'audit', 'outgoing_mails'])
  expect(await apply()).toEqual({ erasures: 0, departures: 0, keys: 0 })
})

test('addresses are found in as many looks as they take', async () => {
  const people = [await inviteAndForget(), await inviteAndForget()]
  for (const { back } of people) await back()
  const entries = entriesThatCount(await readJournal(journal()))
  expect(await forgetAddresses(world().environment, entries, 1)).toEqual({ forgotten: 2, failed: [] })
  for (const { email } of people) expect(await placesOf(email)).toEqual([])
})

test('a sign-in link that is in a copy goes with its person, and a later one stays', async () => {
  const [email, expires] = [newAddress(), "now() + interval '15 minutes'"]
  const link = (when: string) =>
    rows(
      `insert into service.sign_in_links (hash, email, expires) values (sha256($1::text::bytea), $2, ${when})`,
      randomUUID(),
      email,
    )
  await link(expires)
  const back = await copyOf(email)
  const leaver = await world().signIn(email)
  await ask(leaver, 'POST', '/data/accountdelete', { validation: email })
  await back()
  await link(`${expires} + interval '1 minute'`)
  expect((await apply()).erasures).toBe(1)
  expect(await rows('select from service.sign_in_links where email = $1', email)).toHaveLength(1)
  expect((await apply()).erasures).toBe(0)
})

test('a person who is invited anew after the account was deleted stays invited', async () => {
  const { boss, email, back } = await inviteAndForget()
  const other = await world().signInAnyone()
  await inviteWithoutMail(other, email)
  expect((await apply()).erasures).toBe(0)
  expect(await placesOf(email)).toEqual(['team_invitations', 'audit', 'outgoing_mails'])
  await back()
  expect((await apply()).erasures).toBe(1)
  const team = other.teamId
  expect(await teamsWith(email)).toEqual({ invitations: [team], mails: [team], audit: [team] })
  expect(team).not.toBe(boss.teamId)
})

test('a person who is in a copy, and was invited anew after the line, is forgotten and stays invited', async () => {
  const [boss, other, email] = [await world().signInAnyone(), await world().signInAnyone(), newAddress()]
  await inviteWithoutMail(boss, email)
  const { userId: number } = await world().signIn(email)
  const [made] = await rows('select created from service.users where id = $1', number)
  if (!(made?.created instanceof Date)) throw new Error('the person is there')
  const person = { number, created: made.created.toISOString(), address: markOf(email).toString('hex') }
  await appendToJournal(journal(), [{ id: randomUUID(), at: world().clock.now().toISOString(), person }])
  await inviteWithoutMail(other, email)
  const keptAnswers = () =>
    rows(
      `select team_id::int as team from service.idempotency_keys where team_id = any($1) and sealed is not null
        order by team_id`,
      [boss.teamId, other.teamId],
    )
  expect(await keptAnswers()).toEqual([{ team: boss.teamId }, { team: other.teamId }])
  expect(await apply()).toEqual({ erasures: 1, departures: 0, keys: 0 })
  const team = other.teamId
  expect(await teamsWith(email)).toEqual({ invitations: [team], mails: [team], audit: [team] })
  expect(await keptAnswers()).toEqual([{ team }])
  expect(await rows('select from service.users where id = $1', number)).toEqual([])
  expect((await apply()).erasures).toBe(0)
})

test('a person line of an earlier version, without an address, is read, and one with another hash is refused', async () => {
  const { email, back } = await inviteAndForget()
  await back()
  const lines = await readFile(journal(), 'utf8')
  expect(lines).toMatch(/"address":"[0-9a-f]{64}"/)
  await writeFile(journal(), lines.replace(/,"address":"[0-9a-f]*"/, ''))
  expect((await apply()).erasures).toBe(0)
  expect(await placesOf(email)).toEqual(['team_invitations', 'audit', 'outgoing_mails'])
  await writeFile(journal(), lines.replace(/"address":"[0-9a-f]/, '"address":"'))
  await expect(readJournal(journal())).rejects.toThrow('Line 2 of')
})

test('addresses are looked for as often for many lines as for one, and for none where no line has one', async () => {
  await inviteAndForget()
  const line = (await readJournal(journal())).find((entry) => 'person' in entry)
  if (line === undefined || !('person' in line)) throw new Error('the deletion of an account has a line')
  const looks = async (lines: readonly (typeof line)[]) => {
    await writeFile(journal(), '')
    await appendToJournal(journal(), lines)
    return (await sentStatements(apply)).filter((text) => text.includes('inviteTeamMember')).length
  }
  const { transaction: _, ...alone } = line
  const address = line.person.address
  expect(address).toBeDefined()
  const { number, created } = line.person
  const many = Array.from({ length: 200 }, (_none, i) => ({
    ...alone,
    person: { number, created, address: i.toString(16).padStart(64, '0') },
  }))
  expect(await looks([alone])).toBe(1)
  expect(await looks(many)).toBe(1)
  expect(await looks([{ ...alone, person: { number, created } }])).toBe(0)
})
