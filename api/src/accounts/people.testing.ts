import './account.tables.js'
import type { FastifyInstance } from 'fastify'
import { buildApp } from '../app.js'
import { readConfig } from '../config.js'
import type { Served } from '../platform/http/operation.js'
import { requestAs } from '../platform/testing/request-as.js'
import {
  PATIENT,
  type ScratchDatabase,
  serviceDatabase,
  testEnvironment,
} from '../platform/testing/scratch-database.js'
import { deliverMails } from './mail/deliver-mails.js'
import { mailServer } from './mail/mail-server.testing.js'
import { accounts } from './operations.js'

export interface Person {
  email: string
  session: string
  userId: number
  teamId: number
}

/** An api with its database and its mail server, whose clock can be moved. */
export async function accountsWorld(env: Record<string, string> = {}, served: readonly Served[] = [accounts]) {
  const clock = { offset: 0, now: () => new Date(Date.now() + clock.offset) }
  const services = { clock, isBilling: env.ENVIRONMENT === 'production' }
  const [scratch, smtp] = await Promise.all([serviceDatabase({ services }), mailServer()])
  const config = readConfig({
    DATABASE_URL: scratch.tenantUrl,
    SYSTEM_DATABASE_URL: scratch.systemUrl,
    SMTP_URL: smtp.url,
    ...PATIENT,
    ...env,
  })
  const environment = testEnvironment(scratch, { config, clock })
  const replicas = [await buildApp(environment, served), await buildApp(environment, served)]
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

/** Returns what a person is answered. */
export async function answerTo(
  app: FastifyInstance,
  { session }: Pick<Person, 'session'>,
  method: string,
  url: string,
  body?: object,
) {
  const answer = await withSession(app, session, method, url, body)
  return { status: answer.statusCode, body: answer.json() }
}

/** Returns the service's own tables, each as the text of its rows. */
export async function everything({ db }: Pick<ScratchDatabase, 'db'>): Promise<Record<string, string>> {
  const tables = ['teams', 'users', 'team_members', 'api_keys', 'sessions', 'team_invitations', 'audit'] as const
  return db.read('system', async (reader) => {
    const found: Record<string, string> = {}
    for (const table of tables) found[table] = JSON.stringify(await reader.selectFrom(table).selectAll().execute())
    return found
  })
}
