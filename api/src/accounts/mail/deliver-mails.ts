import type { Transporter } from 'nodemailer'
import type { Config } from '../../config.js'
import type { Environment } from '../../platform/http/context.js'
import { type ClaimedMail, claimMails, forgetMail, type Mail } from './mail.store.js'
import { transportOf } from './transport.js'

type Needs = Pick<Environment, 'config' | 'db' | 'clock' | 'log' | 'deriveKey'>

/** The deliveries under way, by their database: a second call waits for its turn, and sends what came meanwhile. */
const underWay = new WeakMap<Needs['db'], Promise<void>>()

/** A request has stored its mail, and committed, within this time. */
const MOMENT_MS = 60_000

/**
 * Sends the mails that are due, also those of other processes that ended before they could.
 *
 * @param newSince only those that were made since then, and not tried yet
 */
export function deliverMails(environment: Needs, newSince?: Date): Promise<void> {
  const { db } = environment
  const before = underWay.get(db) ?? Promise.resolve()
  const now = before.catch(() => undefined).then(() => sendAll(environment, newSince))
  underWay.set(db, now)
  return now
}

/**
 * Sends what a request stored, after its answer: nobody learns from the time of an answer whether a mail was sent. Older
 * mails are the worker's: in a restored copy some are to people who were erased since.
 */
export function deliverSoon(environment: Needs): void {
  const newSince = new Date(environment.clock.now().getTime() - MOMENT_MS)
  deliverMails(environment, newSince).catch((error: unknown) =>
    environment.log.error({ err: error }, 'mails could not be sent'),
  )
}

async function sendAll(environment: Needs, newSince?: Date): Promise<void> {
  const { db, log } = environment
  for (;;) {
    const claimed = await db.transaction('system', (tx) => claimMails(tx, environment, newSince))
    if (claimed.length === 0) return
    const transport = await transportOf(environment.config)
    try {
      for (const one of claimed) await sendOne(environment, transport, one)
    } finally {
      transport?.close()
    }
    log.debug({ mails: claimed.length }, 'mails were sent, or are tried again')
  }
}

async function sendOne(
  { config, db, log }: Needs,
  transport: Transporter | undefined,
  { id, attempts, mail }: ClaimedMail,
) {
  try {
    if (transport) await transport.sendMail(messageOf(mail, config))
    // Without a server for mails this is the way in which an operator gets the link.
    // The rest of the text may name people and teams, which nothing erases from a log.
    else
      log.warn(
        { subject: mail.subject, links: linksIn(mail) },
        'SMTP_URL is not set: this mail goes to nobody but this log',
      )
    await db.transaction('system', (tx) =>
      forgetMail(tx, id)
        .execute()
        .then(() => undefined),
    )
  } catch (error) {
    const { code, responseCode } = Object(error)
    log.warn({ mail: id, attempts: attempts + 1, code, responseCode }, 'a mail could not be sent, and is tried again')
  }
}

const linksIn = ({ text }: Mail): string[] => text.match(/https?:\/\/\S+/g) ?? []

/** The address is an object: no text of a person is read as a list of addresses. */
const messageOf = ({ to, subject, text }: Mail, { mail }: Config) => ({
  from: mail.from,
  to: { name: '', address: to },
  subject,
  text,
  disableFileAccess: true,
  disableUrlAccess: true,
})
