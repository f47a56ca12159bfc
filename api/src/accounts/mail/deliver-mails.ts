import type { Transporter } from 'nodemailer'
import type { Config } from '../../config.js'
import type { Environment } from '../../platform/http/context.js'
import { type ClaimedMail, claimMail, forgetMail, type Mail, openMail, tryMailLater } from './mail.store.js'
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
  const { db, config } = environment
  let transport: Promise<Transporter | undefined> | undefined
  /** The mail that was sent, until that is noted. */
  let sent: number | undefined
  try {
    for (;;) {
      const claimed = await db.transaction('system', async (tx) => {
        if (sent !== undefined) await forgetMail(tx, sent)
        return claimMail(tx, environment, newSince)
      })
      if (!claimed) return
      transport ??= transportOf(config)
      const isSent = await sendOne(environment, await transport, claimed)
      if (!isSent) await db.transaction('system', (tx) => tryMailLater(tx, environment, claimed))
      sent = isSent ? claimed.id : undefined
    }
  } finally {
    ;(await transport)?.close()
  }
}

/** @returns whether the mail server took it */
async function sendOne(environment: Needs, transport: Transporter | undefined, claimed: ClaimedMail): Promise<boolean> {
  const { config, log } = environment
  try {
    const mail = openMail(environment, claimed)
    if (transport) await transport.sendMail(messageOf(mail, config))
    // Without a server for mails this is the way in which an operator gets the link.
    // The rest of the text may name people and teams, which nothing erases from a log.
    else
      log.warn(
        { subject: mail.subject, links: linksIn(mail) },
        'SMTP_URL is not set: this mail goes to nobody but this log',
      )
    return true
  } catch (error) {
    const { id, attempts } = claimed
    const { code, responseCode } = Object(error)
    log.warn({ mail: id, attempts, code, responseCode }, 'a mail could not be sent, and is tried again')
    return false
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
