import '../account.tables.js'
import { createHmac } from 'node:crypto'
import { seal, unseal } from '@accredit/process/seal'
import { type Static, Type } from 'typebox'
import { Check } from 'typebox/schema'
import type { Reader, Tx } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import type { Environment } from '../../platform/http/context.js'

const Mail = Type.Object({
  to: Type.String(),
  subject: Type.String(),
  text: Type.String(),
})
export type Mail = Static<typeof Mail>

const SEALED_AS = Buffer.from('outgoing mail')

/** The wait after the nth attempt doubles, from half a minute to eight. */
const FIRST_WAIT_MS = 30_000
const MOST_DOUBLINGS = 4
/** A process that claims mails has this long to send them, before another one tries. */
const AT_A_TIME = 10

type Needs = Pick<Environment, 'deriveKey' | 'random' | 'clock'>

/** Returns the keyed hash of an address, by which mails to a person are found. */
export const recipientMark = ({ deriveKey }: Pick<Needs, 'deriveKey'>, email: string): Buffer =>
  createHmac('sha256', deriveKey('outgoing mail recipient')).update(email.toLowerCase()).digest()

interface Terms {
  expires: Date
  /** The team that the mail is about: its deletion takes the mail back. */
  team: TeamId | null
}

/** Stores a mail, sealed, in the transaction that is the reason for it; it is sent after the commit. */
export function queueMail(tx: Tx, services: Needs, mail: Mail, { expires, team }: Terms): void {
  const { deriveKey, random, clock } = services
  const sealed = seal(deriveKey('outgoing mail'), Buffer.from(JSON.stringify(mail)), SEALED_AS, random.bytes)
  const recipient = recipientMark(services, mail.to)
  tx.defer(
    tx.insertInto('outgoing_mails').values({ sealed, recipient, team_id: team, next_attempt: clock.now(), expires }),
  )
}

export interface ClaimedMail {
  id: number
  attempts: number
  mail: Mail
}

/**
 * Takes mails that are due: no other process sends them meanwhile.
 *
 * @param newSince only those that were made since then, and not tried yet
 */
export async function claimMails(
  tx: Tx,
  { deriveKey, clock }: Omit<Needs, 'random'>,
  newSince?: Date,
): Promise<ClaimedMail[]> {
  const now = clock.now()
  let mails = tx.selectFrom('outgoing_mails').selectAll().where('next_attempt', '<=', now).where('expires', '>', now)
  // One is due when it is made, and later after each attempt.
  if (newSince) mails = mails.where('attempts', '=', 0).where('next_attempt', '>=', newSince)
  const due = await mails.orderBy('next_attempt').orderBy('id').limit(AT_A_TIME).forUpdate().skipLocked().execute()
  for (const { id, attempts } of due) {
    const wait = FIRST_WAIT_MS * 2 ** Math.min(attempts, MOST_DOUBLINGS)
    const next = { attempts: attempts + 1, next_attempt: new Date(now.getTime() + wait) }
    tx.defer(tx.updateTable('outgoing_mails').set(next).where('id', '=', id))
  }
  return due.map(({ id, attempts, sealed }) => ({ id, attempts, mail: opened(deriveKey, sealed) }))
}

function opened(deriveKey: Environment['deriveKey'], sealed: Buffer): Mail {
  const mail: unknown = JSON.parse(unseal(deriveKey('outgoing mail'), sealed, SEALED_AS).toString())
  if (!Check(Mail, mail)) throw new TypeError('a stored mail is malformed')
  return mail
}

export const forgetMail = (reader: Reader, id: number) => reader.deleteFrom('outgoing_mails').where('id', '=', id)
