import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import { SMTPServer, type SMTPServerAddress } from 'smtp-server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Json } from '../../formats/json.js'
import { endsOf } from '../../platform/testing/ended-jobs.js'
import { degree, type TestService } from '../loop.testing.js'
import type {} from './mail.tables.js'
import { mailingService } from './mailing-service.testing.js'

interface Received {
  from: string
  to: string[]
  text: string
  /** The wishes for a bounce. */
  dsn: { ret?: unknown; envid?: unknown; notify: unknown }
}

const received: Received[] = []
const refusals = new Map<string, number>()
/** The addresses that the server does not know. */
const unknown = new Set<string>()
const seen: string[] = []

/** A mail server that refuses addresses for good, or once. */
const server = new SMTPServer({
  authOptional: true,
  hideDSN: false,
  disabledCommands: ['STARTTLS'],
  onRcptTo({ address }: SMTPServerAddress, _session, callback) {
    seen.push(address)
    if (address.startsWith('nobody') || unknown.has(address))
      return callback(Object.assign(new Error('no such user'), { responseCode: 550 }))
    const left = refusals.get(address) ?? 0
    refusals.set(address, left - 1)
    if (left > 0) return callback(Object.assign(new Error('greylisted'), { responseCode: 451 }))
    callback()
  },
  onData(stream, session, callback) {
    const chunks: Buffer[] = []
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.on('end', () => {
      const { mailFrom, rcptTo } = session.envelope
      received.push({
        from: mailFrom ? mailFrom.address : '',
        to: rcptTo.map(({ address }) => address),
        text: Buffer.concat(chunks).toString(),
        dsn: { ...session.envelope.dsn, notify: rcptTo[0]?.dsn?.notify },
      })
      callback()
    })
  },
})

let service: TestService
let issuer: string
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  const from = 'University <office@university.example>'
  service = await mailingService({ SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: from })
  issuer = await service.did()
  await service.call('POST', '/profiles', { did: issuer, name: 'Boğaziçi\r\nBcc: all@example.org' })
})
afterAll(async () => {
  await service.close()
  await new Promise<void>((resolve) => server.close(() => resolve()))
})

const DAY_MS = 86_400_000
const DISTRIBUTION = 'accredit-distribution'

const send = (to: Json, more: Record<string, Json> = {}, language = 'en') =>
  service.call(
    'POST',
    '/credentials',
    { credential: { issuer, subject: degree }, distribute: true, recipientEmail: to, ...more },
    undefined,
    { 'accept-language': language },
  )

const jobIn = (text: string | undefined): string => /^email \(job (\d+)\)$/.exec(text ?? '')?.[1] ?? `none in ${text}`
const mailTo = (address: string): Received[] => received.filter(({ to }) => to.includes(address))

/** The parts of a mail, decoded. */
function partsOf(text: string): string[] {
  const boundary = /boundary="([^"]+)"/.exec(text)?.[1] ?? ''
  return text.split(`--${boundary}`).map((part) => {
    const [head = '', ...rest] = part.split('\r\n\r\n')
    const body = rest.join('\r\n\r\n')
    if (/base64/i.test(head)) return Buffer.from(body, 'base64').toString()
    if (!/quoted-printable/i.test(head)) return body
    const bytes = body
      .replace(/=\r\n/g, '')
      .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
    return Buffer.from(bytes, 'latin1').toString()
  })
}

test('a credential reaches its holder as an attachment that verifies, and its job is final', async () => {
  const answer = await send('ada@example.org')
  expect(answer.status).toBe(200)
  const job = jobIn(answer.header(DISTRIBUTION))
  expect(await service.finished(job)).toBe('finalized')
  expect((await service.call('GET', `/jobs/${job}`)).body.result).toEqual({ sent: true })
  const [mail, ...others] = mailTo('ada@example.org')
  expect(others).toEqual([])
  expect(mail?.from).toBe('office@university.example')
  const attached = partsOf(mail?.text ?? '').find((part) => part.includes('"proof"'))
  expect(JSON.parse(attached ?? '')).toEqual(answer.body)
  expect(await service.verified(JSON.parse(attached ?? ''))).toBe(true)
})

test('a token is attached as it is', async () => {
  const answer = await send('emmy@example.org', { format: 'sdjwt' })
  await service.finished(jobIn(answer.header(DISTRIBUTION)))
  const [mail] = mailTo('emmy@example.org')
  expect(mail?.text).toContain('application/dc+sd-jwt')
  expect(partsOf(mail?.text ?? '').map((part) => part.trim())).toContain(answer.body)
})

test.each([
  ['en', 'Content-Language: en', 'issued a credential to you'],
  ['tr-TR,tr;q=0.9', 'Content-Language: tr', 'doğrulanabilir bir belge düzenledi'],
  ['de', 'Content-Language: en', 'issued a credential to you'],
])('to a caller that prefers %s the mail has its words', async (language, header, words) => {
  const to = `reader-of-${language.slice(0, 2)}@example.org`
  const answer = await send(to, {}, language)
  await service.finished(jobIn(answer.header(DISTRIBUTION)))
  const [mail] = mailTo(to)
  expect(mail?.text).toContain(header)
  expect(partsOf(mail?.text ?? '').join('\n')).toContain(words)
})

test('the name of an issuer adds neither a header nor a link to a mail', async () => {
  const answer = await send('careful@example.org')
  await service.finished(jobIn(answer.header(DISTRIBUTION)))
  const [mail] = mailTo('careful@example.org')
  expect(mail?.text).not.toMatch(/^Bcc:/im)
  expect(mail?.to).toEqual(['careful@example.org'])
})

describe('the job', () => {
  test('is an error when the mail server refuses the recipient, and the credential is issued', async () => {
    const counted = await endsOf('credentials.mail', 'error')
    const answer = await send('nobody@example.org')
    expect(answer.body.proof).toBeDefined()
    const job = jobIn(answer.header(DISTRIBUTION))
    expect(await service.finished(job)).toBe('error')
    expect(await endsOf('credentials.mail', 'error')).toBe(counted + 1)
    const { result } = (await service.call('GET', `/jobs/${job}`)).body
    expect(result).toEqual({ type: 'not_delivered', message: 'The mail server refused the mail: 550' })
    const { list } = (await service.call('GET', '/data/notifications')).body
    expect(list[0]).toMatchObject({ type: 'job_failed', data: { jobId: job, kind: 'credentials.mail', error: result } })
    expect(seen.filter((address) => address === 'nobody@example.org')).toHaveLength(1)
  })

  test('is begun anew by request, and then the mail is sent that the server refused', async () => {
    unknown.add('fixed@example.org')
    const job = jobIn((await send('fixed@example.org')).header(DISTRIBUTION))
    expect(await service.finished(job)).toBe('error')
    unknown.delete('fixed@example.org')
    expect((await service.call('POST', `/jobs/${job}/retry`)).status).toBe(200)
    expect(await service.finished(job)).toBe('finalized')
    expect(mailTo('fixed@example.org')).toHaveLength(1)
  })

  test('goes on when the mail server wants to be asked again', async () => {
    refusals.set('later@example.org', 1)
    const answer = await send('later@example.org')
    expect(await service.finished(jobIn(answer.header(DISTRIBUTION)))).toBe('finalized')
    expect(seen.filter((address) => address === 'later@example.org')).toHaveLength(2)
    expect(mailTo('later@example.org')).toHaveLength(1)
  })

  test('waits for the key where its mail cannot be opened, as long as it takes, and holds up no other', async () => {
    const { scratch } = service
    const write = (job: string, values: { sealed: Buffer; created?: Date; next_attempt?: Date }) =>
      scratch.db.transaction('system', async (tx) => {
        await tx.updateTable('credential_mails').set(values).where('job_id', '=', job).execute()
      })
    const { job, sealed } = await service.whileNobodyWorks(async () => {
      const made = jobIn((await send('damaged@example.org')).header(DISTRIBUTION))
      const row = await scratch.db.read('system', (reader) =>
        reader.selectFrom('credential_mails').select('sealed').where('job_id', '=', made).executeTakeFirstOrThrow(),
      )
      await write(made, { sealed: Buffer.alloc(60), created: new Date(Date.now() - 8 * DAY_MS) })
      return { job: made, ...row }
    })
    const other = jobIn((await send('unharmed@example.org')).header(DISTRIBUTION))
    expect(await service.finished(other)).toBe('finalized')
    const message = 'The stored mail cannot be opened with the key of this service'
    await expect
      .poll(async () => (await service.call('GET', `/jobs/${job}`)).body)
      .toMatchObject({ status: 'in_progress', result: { waitingFor: 'key', message } })
    await write(job, { sealed, next_attempt: new Date() })
    expect(await service.finished(job)).toBe('finalized')
    expect(mailTo('damaged@example.org')).toHaveLength(1)
  })
})

test('a mail that waits is sealed, and nothing is kept of one that was sent', async () => {
  const rows = async () => {
    const { rows } = await service.scratch.db.read('system', (reader) =>
      sql<{ sealed: Buffer }>`select sealed from credential_mails where next_attempt < 'infinity'`.execute(reader),
    )
    return rows.map(({ sealed }) => sealed.toString('latin1'))
  }
  const answer = await service.whileNobodyWorks(async () => {
    const sent = await send('sealed@example.org')
    const waiting = await rows()
    expect(waiting).toHaveLength(1)
    expect(waiting.join()).not.toContain('sealed@example.org')
    return sent
  })
  await service.finished(jobIn(answer.header(DISTRIBUTION)))
  expect(await rows()).toEqual([])
})

test.each([
  ['no address', undefined, {}, 'none (recipientEmail is missing)'],
  [
    'a DID',
    undefined,
    { recipientDID: 'did:example:1' },
    'none (credentials are not sent to DIDs yet: name recipientEmail)',
  ],
  ['two addresses', 'a@example.org,b@example.org', {}, 'none (recipientEmail is not the address of one mailbox)'],
  ['a line break', 'a@example.org\nBcc: b@example.org', {}, 'none (recipientEmail is not the address of one mailbox)'],
  ['no issuer', 'a@example.org', { credential: { subject: degree } }, 'none (an unsigned credential is not delivered)'],
])('with %s the credential is issued, and the answer says why it is not delivered', async (_name, to, more, told) => {
  const answer = await send(to ?? null, more)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  expect(answer.header(DISTRIBUTION)).toBe(told)
})

test('a DID beside an address is told to be ignored, and the mail is sent', async () => {
  const answer = await send('both@example.org', { recipientDID: 'did:example:1' })
  expect(answer.header('accredit-ignored')).toBe('/recipientDID')
  expect(await service.finished(jobIn(answer.header(DISTRIBUTION)))).toBe('finalized')
  expect(mailTo('both@example.org')).toHaveLength(1)
})

const messageIdOf = ({ text }: Received): string | undefined => /^Message-ID:\s+(<\S+>)\s*$/im.exec(text)?.[1]

test('a mail that was sent and not noted when its process was killed comes again, with the same Message-ID', async () => {
  const { answer, rows } = await service.whileNobodyWorks(async () => {
    const sent = await send('twice@example.org')
    const stored = await service.scratch.db.read('system', (reader) =>
      reader
        .selectFrom('credential_mails')
        .selectAll()
        .where('job_id', '=', jobIn(sent.header(DISTRIBUTION)))
        .execute(),
    )
    return { answer: sent, rows: stored }
  })
  const job = jobIn(answer.header(DISTRIBUTION))
  expect(await service.finished(job)).toBe('finalized')
  // The kill left what was there before the mail was noted.
  await service.scratch.db.transaction('system', async (tx) => {
    expect(rows.map(({ job_id }) => job_id)).toEqual([job])
    await tx.insertInto('credential_mails').values(rows).execute()
    await tx.updateTable('jobs').set({ status: 'in_progress' }).where('id', '=', job).execute()
  })
  await service.restartWorker()
  expect(await service.finished(job)).toBe('finalized')
  const mails = mailTo('twice@example.org')
  const [first = '', ...others] = mails.map(messageIdOf)
  expect(first).toMatch(new RegExp(`^<credential-${job}\\.[0-9a-f]{32}@university\\.example>$`))
  expect(others).toEqual([first])
})

test('a bounce is to tell its job, and to bring no copy of the credential', async () => {
  const answer = await send('bounces@example.org')
  const job = jobIn(answer.header(DISTRIBUTION))
  await service.finished(job)
  const envid = expect.stringMatching(new RegExp(`^${job}\\.[0-9a-f]{32}$`))
  expect(mailTo('bounces@example.org')[0]?.dsn).toEqual({ ret: 'HDRS', envid, notify: ['FAILURE'] })
})

test('a retry with the same Idempotency-Key sends no second mail', async () => {
  const body = { credential: { issuer, subject: degree }, distribute: true, recipientEmail: 'once@example.org' }
  const ask = () => service.call('POST', '/credentials', body, undefined, { 'idempotency-key': 'one-mail' })
  const [first, second] = [await ask(), await ask()]
  expect(second.header(DISTRIBUTION)).toBe(first.header(DISTRIBUTION))
  await service.finished(jobIn(first.header(DISTRIBUTION)))
  expect(mailTo('once@example.org')).toHaveLength(1)
})

test('each row of a batch is sent to its own holder, in the language of the request', async () => {
  const holders = ['row1@example.org', 'nobody-row@example.org', 'row3@example.org']
  const rows = holders.map((recipientEmail) => ({
    credential: { issuer, subject: degree },
    distribute: true,
    recipientEmail,
  }))
  const headers = { 'accept-language': 'tr' }
  const { body } = await service.call('POST', '/credentials/batch', { rows }, undefined, headers)
  await service.finished(body.id)
  const result = await service.app.inject({
    url: `/credentials/batch/${body.id}/result`,
    headers: { 'svc-api-token': service.team.apiKey },
  })
  const lines = result.body
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const jobs = lines.map((line) => jobIn(line.headers['Accredit-Distribution']))
  const statuses: string[] = []
  for (const job of jobs) statuses.push(await service.finished(job))
  expect(statuses).toEqual(['finalized', 'error', 'finalized'])
  expect(mailTo('row3@example.org')[0]?.text).toContain('Content-Language: tr')
})
