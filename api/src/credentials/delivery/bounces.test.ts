import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mailServer } from '../../accounts/mail/mail-server.testing.js'
import { TEST_SERVICE_KEY } from '../../platform/testing/scratch-database.js'
import { degree, type TestService } from '../loop.testing.js'
import { mailingService } from './mailing-service.testing.js'
import { failureIn } from './note-bounce.js'

/** It takes every mail: that nobody has the address is found out later, elsewhere. */
let server: Awaited<ReturnType<typeof mailServer>>
let service: TestService
let issuer: string
let folder: string
beforeAll(async () => {
  server = await mailServer()
  service = await mailingService({ SMTP_URL: server.url, MAIL_FROM: 'office@university.example' })
  folder = await mkdtemp(join(tmpdir(), 'accredit-bounces-'))
  await writeFile(join(folder, 'service.key'), TEST_SERVICE_KEY)
  issuer = await service.did()
})
afterAll(async () => {
  await service?.close()
  await server?.close()
  await rm(folder, { recursive: true })
})

/** A mail that was sent and taken, and its job. */
async function sent(to: string) {
  const body = { credential: { issuer, subject: degree }, distribute: true, recipientEmail: to }
  const answer = await service.call('POST', '/credentials', body)
  const job = /\(job (\d+)\)/.exec(answer.header('accredit-distribution') ?? '')?.[1] ?? ''
  expect(await service.finished(job)).toBe('finalized')
  const mail = server.mails.find((one) => one.to.includes(to))
  if (mail === undefined) throw new Error('no mail was taken')
  const [head = ''] = mail.text.split('\r\n\r\n')
  return { job, head, envid: String(mail.envid) }
}

const jobOf = async (job: string) => (await service.call('GET', `/jobs/${job}`)).body

interface Report {
  to: string
  head?: string
  envid?: string
  action?: string
  status?: string
}

/** A report on one recipient, as RFC 3464 lays it out. */
const reportOf = ({ to, head = '', envid, action = 'failed', status = '5.1.1' }: Report): string =>
  [
    'From: MAILER-DAEMON@elsewhere.example',
    'To: office@university.example',
    'Subject: Undelivered Mail Returned to Sender',
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=delivery-status;',
    '\tboundary="parts"',
    '',
    '--parts',
    'Content-Type: text/plain',
    '',
    `<${to}>: host mx.elsewhere.example said: 550 ${status} User unknown`,
    '',
    '--parts',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; relay.elsewhere.example',
    ...(envid === undefined ? [] : [`Original-Envelope-Id: ${envid}`]),
    '',
    `Final-Recipient: rfc822; ${to}`,
    `Action: ${action}`,
    `Status: ${status}`,
    '',
    '--parts',
    'Content-Type: text/rfc822-headers',
    '',
    head,
    '',
    '--parts--',
    '',
  ].join('\r\n')

/** The command as it is compiled, in a process of its own. */
async function pipe(mail: string): Promise<{ code: number; said: string }> {
  const { scratch } = service
  const program = fileURLToPath(new URL('../../../dist/bounce.js', import.meta.url))
  const env = {
    PATH: process.env.PATH,
    DATABASE_URL: scratch.tenantUrl,
    SYSTEM_DATABASE_URL: scratch.systemUrl,
    SERVICE_KEY_FILE: join(folder, 'service.key'),
  }
  const child = spawn(process.execPath, [program], { env })
  child.stdin.end(mail)
  const [[code], said, complaints] = await Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)])
  return { code: Number(code), said: said + complaints }
}

test.each(['envid', 'head'] as const)('a bounce that quotes the %s of its mail is seen in the job', async (quoted) => {
  const to = `bounces-${quoted}@example.org`
  const mail = await sent(to)
  const { job } = mail
  expect(await pipe(reportOf({ to, [quoted]: mail[quoted], status: '5.2.1' }))).toEqual({
    code: 0,
    said: `The mail of job ${job} came back: the job is an error now.\n`,
  })
  const result = { type: 'not_delivered', message: 'The mail came back: 5.2.1' }
  expect(await jobOf(job)).toMatchObject({ status: 'error', result })
  const { list } = (await service.call('GET', '/data/notifications')).body
  expect(list[0]).toMatchObject({ type: 'job_failed', data: { jobId: job, kind: 'credentials.mail', error: result } })
  // Nothing was kept of a mail that a server had taken.
  expect(await service.call('POST', `/jobs/${job}/retry`)).toMatchObject({ status: 409 })
})

test('a bounce of somebody else, or one that anybody could write, changes no job and is no failure', async () => {
  const to = 'stays@example.org'
  const { job, envid, head } = await sent(to)
  const other = await service.call('POST', '/registries', { policy: [issuer] })
  await service.finished(other.body.id)
  const [, proof = ''] = envid.split('.')
  for (const report of [
    reportOf({ to, envid: job }),
    reportOf({ to, envid: `${job}.${'0'.repeat(32)}` }),
    reportOf({ to, envid: `${other.body.id}.${proof}` }),
    reportOf({ to, head: head.replaceAll(proof, '') }),
    reportOf({ to, envid, action: 'delayed', status: '4.4.1' }),
    `From: ${to}\r\nIn-Reply-To: <credential-${envid}@university.example>\r\n\r\nThank you!\r\n\r\nAction: failed\r\nStatus: 5.1.1`,
    '',
  ])
    expect(await pipe(report), report).toMatchObject({ code: 0, said: expect.stringContaining('nothing is changed') })
  expect(await jobOf(job)).toMatchObject({ status: 'finalized', result: { sent: true } })
  expect((await jobOf(other.body.id)).status).toBe('finalized')
})

test('a report is read whatever ends its lines, and of several recipients the one that failed counts', () => {
  const report = reportOf({ to: 'a@example.org' })
  expect(failureIn(report)).toBe('5.1.1')
  expect(failureIn(report.replaceAll('\r\n', '\n'))).toBe('5.1.1')
  const relayed = 'Final-Recipient: rfc822; b@example.org\r\nAction: relayed\r\nStatus: 2.1.5\r\n\r\n'
  expect(failureIn(report.replace('Final-Recipient', `${relayed}Final-Recipient`))).toBe('5.1.1')
  expect(failureIn(report.replace('delivery-status;', 'disposition-notification;'))).toBeUndefined()
  expect(failureIn(report.replace('Status: 5.1.1', 'Status: 4.4.7'))).toBe('4.4.7')
  expect(failureIn(report.replace('Status: 5.1.1', 'Status: 2.1.5'))).toBeUndefined()
})
