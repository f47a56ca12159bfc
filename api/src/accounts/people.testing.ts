import './account.tables.js'
import { once } from 'node:events'
import type { FastifyInstance } from 'fastify'
import { SMTPServer } from 'smtp-server'
import { buildApp } from '../app.js'
import { readConfig } from '../config.js'
import { requestAs } from '../platform/testing/request-as.js'
import {
  PATIENT,
  type ScratchDatabase,
  serviceDatabase,
  testEnvironment,
} from '../platform/testing/scratch-database.js'
import { deliverMails } from './mail/deliver-mails.js'
import { accounts } from './operations.js'

interface ReceivedMail {
  to: string[]
  text: string
}

/** A mail server on loopback that keeps what it receives. */
async function mailServer() {
  const mails: ReceivedMail[] = []
  const state = { refuses: false }
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onRcptTo: (_address, _session, done) =>
      done(state.refuses ? Object.assign(new Error('try later'), { responseCode: 451 }) : null),
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const text = Buffer.concat(chunks).toString().replaceAll('=\r\n', '').replaceAll('=3D', '=')
        mails.push({ to: session.envelope.rcptTo.map(({ address }) => address), text })
        done()
      })
    },
  })
  const listening = server.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  const address = listening.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    mails,
    state,
    url: `smtp://127.0.0.1:${port}`,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

export interface Person {
  email: string
  session: string
  userId: number
  teamId: number
}

/** An api with its database and its mail server, whose clock can be moved. */
export async function accountsWorld(env: Record<string, string> = {}) {
  const [scratch, smtp] = await Promise.all([serviceDatabase(), mailServer()])
  const clock = { offset: 0, now: () => new Date(Date.now() + clock.offset) }
  const config = readConfig({
    DATABASE_URL: scratch.tenantUrl,
    SYSTEM_DATABASE_URL: scratch.systemUrl,
    SMTP_URL: smtp.url,
    ...PATIENT,
    ...env,
  })
  const environment = testEnvironment(scratch, { config, clock })
  const replicas = [await buildApp(environment, [accounts]), await buildApp(environment, [accounts])]
  const [app] = replicas
  if (app === undefined) throw new Error('two replicas were built')
  const delivered = () => deliverMails(environment)
  const world = {
    app,
    replicas,
    scratch,
    smtp,
    clock,
    environment,
    delivered,
    /** Returns the token of the last mail to an address. */
    async token(email: string): Promise<string> {
      await delivered()
      const mail = smtp.mails.findLast(({ to }) => to.includes(email.toLowerCase()))
      return /#token=(ot_\w+)/.exec(mail?.text ?? '')?.[1] ?? ''
    },
    async link(email: string): Promise<string> {
      const { statusCode, body } = await withSession(app, undefined, 'POST', '/auth/links', { email })
      if (statusCode !== 200) throw new Error(`no link: ${body}`)
      return world.token(email)
    },
    async signIn(email: string, more: object = {}): Promise<Person> {
      const answer = await withSession(app, undefined, 'POST', '/auth/sessions', {
        token: await world.link(email),
        ...more,
      })
      if (answer.statusCode !== 200) throw new Error(`no session: ${answer.body}`)
      const { token: session, userId, teamId } = answer.json()
      return { email, session, userId, teamId }
    },
    async close() {
      await delivered()
      await Promise.all(replicas.map((one) => one.close()))
      await Promise.all([scratch.close(), smtp.close()])
    },
  }
  return world
}

/** Sends a request with a session, or without one. */
export const withSession = (
  app: FastifyInstance,
  session: string | undefined,
  method: string,
  url: string,
  body?: object,
  headers: Record<string, string> = {},
) =>
  requestAs(app, undefined, method, url, body, {
    ...(session !== undefined && { 'svc-web-token': session }),
    ...headers,
  })

/** Returns the service's own tables, each as the text of its rows. */
export async function everything({ db }: Pick<ScratchDatabase, 'db'>): Promise<Record<string, string>> {
  const tables = ['teams', 'users', 'team_members', 'api_keys', 'sessions', 'team_invitations', 'audit'] as const
  return db.read('system', async (reader) => {
    const found: Record<string, string> = {}
    for (const table of tables) found[table] = JSON.stringify(await reader.selectFrom(table).selectAll().execute())
    return found
  })
}
