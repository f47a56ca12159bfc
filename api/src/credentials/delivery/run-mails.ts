import { type Loop, startLoop } from '@accredit/process/loop'
import type { Transporter } from 'nodemailer'
import { transportOf } from '../../accounts/mail/transport.js'
import type { Environment } from '../../platform/http/context.js'
import { type ClaimedMail, claimMails, endMail, MAIL_CHANNEL, nextMailDue, tryLater } from './mail.store.js'
import { markOf } from './mail-mark.js'
import { messageOf } from './mail-message.js'

/** The mails that are sent together. */
const AT_A_TIME = 10
/** The connections to the mail server. */
const CONNECTIONS = 2
/** The time after which it looks without a hint; what is due sooner has its own timer. */
const LOOK_MS = 30_000
/** The time for which a mail that no server takes is tried again. */
const PATIENCE_MS = 86_400_000

/** Sends credentials by mail, and tells their jobs what became of them. */
export function startMails(environment: Environment): { channel: string; loop: Loop } {
  const { db, log, config, clock } = environment
  let transport: Promise<Transporter | undefined> | undefined
  let timer: NodeJS.Timeout | undefined

  /** Returns whether a mail is due; one that will be wakes the loop then. */
  async function isDue(): Promise<boolean> {
    clearTimeout(timer)
    const due = await nextMailDue(db)
    const ms = due === undefined ? LOOK_MS : due.getTime() - clock.now().getTime()
    if (ms > 0 && ms < LOOK_MS) timer = setTimeout(loop.wake, ms)
    return ms <= 0
  }

  async function step(): Promise<boolean> {
    if (!(await isDue())) return false
    const mails = await db.transaction('system', (tx) => claimMails(tx, environment, AT_A_TIME))
    if (mails.length === 0) return false
    transport ??= transportOf(config, CONNECTIONS)
    const sender = await transport
    await Promise.all(mails.map((mail) => send(sender, mail)))
    return true
  }

  async function send(sender: Transporter | undefined, claimed: ClaimedMail): Promise<void> {
    const { job, mail, created } = claimed
    try {
      if (sender === undefined) throw new NoServer()
      await sender.sendMail(messageOf(mail, config.mail.from, markOf(environment, job)))
      await db.transaction('system', (tx) => endMail(tx, job, { sent: true }))
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

  const onError = (error: unknown): void => log.error({ err: error }, 'mails could not be sent')
  const loop = startLoop(step, { onError, everyMs: LOOK_MS })
  loop.wake()
  return {
    channel: MAIL_CHANNEL,
    loop: {
      wake: loop.wake,
      async stop() {
        await loop.stop()
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
