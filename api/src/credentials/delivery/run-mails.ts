import { type Loop, startLoop } from '@accredit/process/loop'
import type { Transporter } from 'nodemailer'
import { transportOf } from '../../accounts/mail/transport.js'
import type { Tx } from '../../platform/database/database.js'
import type { Environment } from '../../platform/http/context.js'
import {
  type ClaimedMail,
  claimMails,
  endMail,
  endSentMails,
  MAIL_CHANNEL,
  type Mail,
  nextMailDue,
  openMail,
  tryLater,
} from './mail.store.js'
import { markOf } from './mail-mark.js'
import { messageOf } from './mail-message.js'

/** The most mails that are on their way at a time: with a server that answers nothing, each has its turn within its lease. */
const AT_A_TIME = 15
/** The connections to the mail server. */
const CONNECTIONS = 5
/** The time after which it looks without a hint; what is due sooner has its own timer. */
const LOOK_MS = 30_000
/** The time after which it looks again at what another process holds. */
const LOCKED_MS = 50
/** The time for which a mail that no server takes is tried again. */
const PATIENCE_MS = 86_400_000

/** Sends credentials by mail, and tells their jobs what became of them. */
export function startMails(environment: Environment): { channel: string; loop: Loop } {
  const { db, log, config, clock } = environment
  let transport: Promise<Transporter | undefined> | undefined
  let timer: NodeJS.Timeout | undefined
  const sending = new Set<Promise<void>>()
  /** The jobs of mails that were sent, until that is noted. */
  const sent = new Set<string>()

  /** Notes what was sent, and begins to send as many as there is room for; ends when half of the room is free again. */
  async function step(): Promise<boolean> {
    const mails = await noting((tx) => claimMails(tx, environment, AT_A_TIME - sending.size))
    if (mails.length === 0) {
      await wakeWhenDue()
      return false
    }
    transport ??= transportOf(config, CONNECTIONS)
    const sender = await transport
    for (const mail of mails) {
      const attempt = send(sender, mail)
        .catch(onError)
        .finally(() => {
          sending.delete(attempt)
          loop.wake()
        })
      sending.add(attempt)
    }
    while (sending.size > AT_A_TIME / 2) await Promise.race(sending)
    return true
  }

  /** Ends the jobs of what was sent in a transaction that does something else too. */
  async function noting<T>(and: (tx: Tx) => Promise<T>): Promise<T> {
    const jobs = [...sent]
    const result = await db.transaction('system', (tx) => {
      if (jobs.length > 0) endSentMails(tx, jobs)
      return and(tx)
    })
    for (const job of jobs) sent.delete(job)
    return result
  }

  /** Mails that are due already are locked by another process, which takes them or dies. */
  async function wakeWhenDue(): Promise<void> {
    clearTimeout(timer)
    const due = await nextMailDue(db)
    if (due === undefined) return
    const ms = due.getTime() - clock.now().getTime()
    if (ms < LOOK_MS) timer = setTimeout(loop.wake, Math.max(ms, LOCKED_MS))
  }

  async function send(sender: Transporter | undefined, claimed: ClaimedMail): Promise<void> {
    const { job, created } = claimed
    const mail = opened(claimed)
    if (mail === undefined) return waitForKey(claimed)
    try {
      if (sender === undefined) throw new NoServer()
      await sender.sendMail(messageOf(mail, config.mail.from, markOf(environment, job)))
      sent.add(job)
    } catch (error) {
      const now = clock.now()
      const isOver = now.getTime() - created.getTime() > PATIENCE_MS
      const { isFinal, message } = refusalOf(error)
      // The answer of a mail server may name the recipient: its code alone is told.
      log.warn({ job, message }, 'a mail was not taken')
      const result = { type: 'not_delivered', message } as const
      await db.transaction('system', (tx) =>
        isFinal || isOver
          ? endMail(tx, job, result)
          : tryLater(tx, claimed, now, { waitingFor: 'mail server', message }),
      )
    }
  }

  /** Returns the mail; undefined: it was sealed under a key that this process does not have, or is damaged. */
  function opened({ job, sealed }: ClaimedMail): Mail | undefined {
    try {
      return openMail(environment.deriveKey, job, sealed)
    } catch {
      return undefined
    }
  }

  /** Keeps a mail that cannot be opened, however old: an operator may bring the right key. */
  async function waitForKey(claimed: ClaimedMail): Promise<void> {
    const { job } = claimed
    log.error({ job }, 'a stored mail cannot be opened: is the key of this service the one that sealed it?')
    const message = 'The stored mail cannot be opened with the key of this service'
    await db.transaction('system', (tx) => tryLater(tx, claimed, clock.now(), { waitingFor: 'key', message }))
  }

  const onError = (error: unknown): void => log.error({ err: error }, 'mails could not be sent')
  const loop = startLoop(step, { onError, everyMs: LOOK_MS })
  loop.wake()
  return {
    channel: MAIL_CHANNEL,
    loop: {
      wake: loop.wake,
      async stop() {
        await loop.stop()
        await Promise.all(sending)
        await noting(async () => undefined)
        clearTimeout(timer)
        ;(await transport)?.close()
      },
    },
  }
}

/** SMTP_URL was taken away after the mail was stored. */
class NoServer extends Error {}

/** Tells whether a mail server has refused a mail for good, and how. */
function refusalOf(error: unknown): { isFinal: boolean; message: string } {
  if (error instanceof NoServer) return { isFinal: false, message: 'No mail server is configured any more' }
  const { responseCode, code }: { responseCode?: unknown; code?: unknown } = Object(error)
  if (typeof responseCode !== 'number')
    return { isFinal: false, message: `The mail server cannot be reached (${String(code ?? 'unknown')})` }
  const isFinal = responseCode >= 500 && code !== 'EAUTH'
  return {
    isFinal,
    message: `The mail server ${isFinal ? 'refused the mail' : 'did not take the mail'}: ${responseCode}`,
  }
}
