import '../account.tables.js'
import { createHmac } from 'node:crypto'
import { seal, unseal } from '@accredit/process/seal'
import { sql } from 'kysely'
import { type Static, Type } from 'typebox'
import { Check } from 'typebox/schema'
import type { Tx } from '../../platform/database/database.js'
import { isHeld } from '../../platform/database/held-teams.js'
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
/**
 * The time that a process has to send the mail that it claimed, before another one tries: an SMTP server that takes ten
 * seconds for each of ten steps is waited for.
 */
const LEASE_MS = 120_000

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
  /** The attempts, with this one. */
  attempts: number
  sealed: Buffer
}

/**
 * Takes a mail that is due: no other process sends it meanwhile.
 *
 * @param newSince only one that was made since then, and not tried yet
 */
export async function claimMail(
  tx: Tx,
  { clock }: Pick<Needs, 'clock'>,
  newSince?: Date,
): Promise<ClaimedMail | undefined> {
  const now = clock.now()
  let mails = tx.selectFrom('outgoing_mails').selectAll().where('next_attempt', '<=', now).where('expires', '>', now)
  mails = mails.where(sql<boolean>`(team_id is null or not ${isHeld(sql`team_id`)})`)
  // One is due when it is made, and later after each attempt.
  if (newSince) mails = mails.where('attempts', '=', 0).where('next_attempt', '>=', newSince)
  const due = await mails.orderBy('next_attempt').orderBy('id').limit(1).forUpdate().skipLocked().executeTakeFirst()
  if (!due) return undefined
  const { id, sealed } = due
  const attempts = due.attempts + 1
  await nextAttempt(tx, { id, attempts, at: new Date(now.getTime() + LEASE_MS) })
  return { id, attempts, sealed }
}

/** Lets a mail that was not taken be tried again: later after each attempt. */
export async function tryMailLater(
  tx: Tx,
  { clock }: Pick<Needs, 'clock'>,
  { id, attempts }: ClaimedMail,
): Promise<void> {
  const wait = FIRST_WAIT_MS * 2 ** Math.min(attempts - 1, MOST_DOUBLINGS)
  await nextAttempt(tx, { id, attempts, at: new Date(clock.now().getTime() + wait) })
}

const nextAttempt = (tx: Tx, { id, attempts, at }: { id: number; attempts: number; at: Date }) =>
  tx.updateTable('outgoing_mails').set({ attempts, next_attempt: at }).where('id', '=', id).execute()

/** @throws when it was sealed under another key */
export function openMail({ deriveKey }: Pick<Needs, 'deriveKey'>, { sealed }: ClaimedMail): Mail {
  const mail: unknown = JSON.parse(unseal(deriveKey('outgoing mail'), sealed, SEALED_AS).toString())
  if (!Check(Mail, mail)) throw new TypeError('a stored mail is malformed')
  return mail
}

export const forgetMail = (tx: Tx, id: number) => tx.deleteFrom('outgoing_mails').where('id', '=', id).execute()
