import type { Did, Hex32 } from '@accredit/chain'
import { type Selectable, sql } from 'kysely'
import type { Reader, Tx } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import { lockByName } from '../../platform/database/lock-by-name.js'
import type { ServiceTables } from '../../platform/database/tables.js'
import { invalid } from '../../platform/errors.js'

import '../tables.js'

export type ParticipantRecord = Selectable<ServiceTables['participants']>

/** Accepted participants wait where the convener has yet to sign. */
export type InvitationUse = Selectable<ServiceTables['invitation_uses']>['use'] | 'waiting'

export interface NewParticipant {
  registry_id: Hex32
  did: Did
  team_id: TeamId
  name: string
  description: string
  logo_url: string
  info_url: string
  suspended_since: Date | null
  created: Date
  /** The job of its action, from whose block on it is a participant; undefined: it is one at once. */
  job_id: string | undefined
}

/** Returns the participant's id; undefined when this DID is one already, or is becoming one. */
export async function insertParticipant(tx: Tx, { job_id, ...row }: NewParticipant): Promise<string | undefined> {
  const pending = job_id !== undefined
  const inserted = await tx
    .insertInto('participants')
    .values({
      ...row,
      state: pending ? 'pending' : 'active',
      job_id: job_id ?? null,
      from_time: pending ? null : row.created,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  return inserted?.id
}

/** Returns the time since which a DID was suspended here, without a right to suspend, when it last took part. */
export async function rememberedSuspension(reader: Reader, registryId: Hex32, did: Did): Promise<Date | null> {
  const last = await reader
    .selectFrom('participants')
    .select('suspended_since')
    .where('registry_id', '=', registryId)
    .where('did', '=', did)
    .where('state', '=', 'active')
    .orderBy('row_id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return last?.suspended_since ?? null
}

const present = (tx: Tx, registryId: Hex32, did: Did) =>
  tx
    .updateTable('participants')
    .where('registry_id', '=', registryId)
    .where('did', '=', did)
    .where('state', '=', 'active')
    .where('to_time', 'is', null)

/** Ends what is shown of a participant at `time`; the row stays for readers of the past. */
export const closeParticipant = (
  tx: Tx,
  registryId: Hex32,
  did: Did,
  time: Date,
): Promise<ParticipantRecord | undefined> =>
  present(tx, registryId, did)
    .set({ to_time: sql<Date>`greatest(from_time, ${time}::timestamptz)` })
    .returningAll()
    .executeTakeFirst()

/** Locks a participant: other changes of it at the same moment come before or after. */
export async function lockParticipant(tx: Tx, registryId: Hex32, did: Did): Promise<void> {
  const lock = `service.participants ${registryId} ${did}`
  await lockByName(tx, lock)
}

/**
 * Shows a participant differently from `time` on. Throws 400 for one who is listed on the ledger only: nothing is kept
 * of it here.
 */
export async function reviseParticipant(
  tx: Tx,
  registryId: Hex32,
  did: Did,
  change: Partial<Pick<ParticipantRecord, 'info_url' | 'suspended_since'>>,
  time: Date,
): Promise<void> {
  // The lock lets this revise the row that another revision left at the same moment.
  await lockParticipant(tx, registryId, did)
  const closed = await closeParticipant(tx, registryId, did, time)
  if (!closed)
    throw invalid(
      'This DID is listed on the ledger and accepted no invitation here: infoUrl, and a status without any right, are kept of participants that did',
    )
  const { row_id: _, id: __, ...row } = closed
  await tx
    .insertInto('participants')
    .values({ ...row, ...change, from_time: closed.to_time, to_time: null })
    .execute()
}

/**
 * Returns the use of an invitation; undefined: it is free. Any holder of its token may know, so it looks past tenancy:
 * for the system scope.
 */
export async function useOfInvitation(reader: Reader, nonce: string): Promise<InvitationUse | undefined> {
  const { rows } = await sql<{ use: InvitationUse }>`
    select case when exists (select from service.ledger_actions a where a.job_id = u.job_id and a.state = 'waiting')
      then 'waiting' else u.use end as use
    from service.invitation_uses u where u.nonce = ${nonce}`.execute(reader)
  return rows[0]?.use
}

/** Takes an invitation's token; a failed job frees it again. False: it was taken before. */
export async function takeInvitation(
  tx: Tx,
  use: Pick<
    Selectable<ServiceTables['invitation_uses']>,
    'nonce' | 'registry_id' | 'team_id' | 'use' | 'job_id' | 'created'
  >,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await tx
    .insertInto('invitation_uses')
    .values(use)
    .onConflict((conflict) => conflict.column('nonce').doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows > 0n
}

/**
 * Returns the team that holds a DID's keys; undefined when this deployment does not. Looks past tenancy: for the system scope.
 */
export async function holderOf(reader: Reader, did: Did): Promise<TeamId | undefined> {
  const { rows } = await sql<{ team_id: TeamId }>`
    select team_id from service.dids where did = ${did} and status in ('pending', 'active')`.execute(reader)
  return rows[0]?.team_id
}
