import './prepared-action.tables.js'
import { sql } from 'kysely'
import type { Reader, Tx } from '../platform/database/database.js'
import { ApiError } from '../platform/errors.js'
import type { Context } from '../platform/http/context.js'
import type { Sweep } from '../platform/sweeps/sweep.js'
import type { Dispatch, ExpectedVersion } from './ledger-call.js'

/** One dispatch by one key of a DID: what a signature must be for. */
export interface SignedCall {
  did: string
  keyId: number
  /**
   * The blake2-256 of the list of its calls: as the ledger tells it in `Dispatched`, or before versions were filled in.
   */
  callHash: string
}

/** An action that was given out for signing, with its nonce and its deadline. */
export interface PreparedAction {
  id: number
  nonce: number
  /** Milliseconds since 1970. */
  validUntil: number
  /** The job of the action once it was signed and submitted. */
  jobId: string | null
  /** The versions of registries that were filled in. */
  versions: ExpectedVersion[] | null
}

const MINUTE_MS = 60_000
/** The number of newest pending actions that are tried; one for the same call voids none before it. */
const MOST_TRIED = 8

/** Takes one of the places that a team has for prepared actions. Throws 429 and 409 past the limits. */
export async function takePlace(
  tx: Tx,
  ctx: Context,
  { did, keyId, dispatch }: Pick<SignedCall, 'did' | 'keyId'> & { dispatch: Dispatch },
): Promise<number> {
  const now = ctx.clock.now()
  // Simultaneous requests of a team count one after the other.
  await sql`select from service.teams where id = ${ctx.team} for no key update`.execute(tx)
  const counts = await tx
    .selectFrom('prepared_actions')
    .select(({ fn }) => [
      fn
        .countAll<number>()
        .filterWhere('created', '>', new Date(now.getTime() - MINUTE_MS))
        .as('recent'),
      fn
        .countAll<number>()
        .filterWhere('job_id', 'is', null)
        .filterWhere('valid_until', '>=', now.getTime())
        .as('open'),
    ])
    .where('team_id', '=', ctx.team)
    .where((eb) => eb.or([eb('created', '>', new Date(now.getTime() - MINUTE_MS)), eb('job_id', 'is', null)]))
    .executeTakeFirstOrThrow()
  const { perMinute, open } = ctx.config.preparedActions
  if (counts.recent >= perMinute)
    throw new ApiError('rate_limited', `More than ${perMinute} prepared actions in a minute`, {
      headers: { 'Retry-After': '60' },
    })
  if (counts.open >= open) throw new ApiError('too_many', `More than ${open} actions wait for their signatures`)
  const { callHash, wishHash, filledIn } = dispatch
  const versions = filledIn.expectedVersions
  const row = {
    team_id: ctx.team,
    did,
    key_id: keyId,
    call_hash: callHash,
    created: now,
    ...(versions && { wish_hash: wishHash, versions: JSON.stringify(versions) }),
  }
  const inserted = tx.insertInto('prepared_actions').values(row).returning('id')
  return (await inserted.executeTakeFirstOrThrow()).id
}

/** Stores what the owner of the key was asked to sign. */
export async function keepPrepared(tx: Tx, id: number, nonce: number, validUntil: number): Promise<void> {
  await tx.updateTable('prepared_actions').set({ nonce, valid_until: validUntil }).where('id', '=', id).execute()
}

const preparedFor = (reader: Reader, { did, keyId, callHash }: SignedCall) =>
  reader
    .selectFrom('prepared_actions')
    .select(['id', 'nonce', 'valid_until as validUntil', 'job_id as jobId', 'versions'])
    .where('did', '=', did)
    .where('key_id', '=', keyId)
    .where((eb) => eb.or([eb('call_hash', '=', callHash), eb('wish_hash', '=', callHash)]))
    .where('nonce', 'is not', null)
    .orderBy('id', 'desc')
    .$narrowType<{ nonce: number; validUntil: number }>()

/** Returns the actions of the reader's teams that wait for a signature, the newest first. */
export function waitingForSignature(reader: Reader, call: SignedCall): Promise<PreparedAction[]> {
  return preparedFor(reader, call).where('job_id', 'is', null).limit(MOST_TRIED).execute()
}

/** Returns the action that was submitted with this very signature. */
export function broughtBefore(
  reader: Reader,
  call: SignedCall,
  signature: string,
): Promise<PreparedAction | undefined> {
  return preparedFor(reader, call).where('signature', '=', signature).executeTakeFirst()
}

/** Locks an action until the transaction ends, and returns its job if it has one by now. */
export async function lockPrepared(tx: Tx, id: number): Promise<string | null> {
  const row = tx.selectFrom('prepared_actions').select('job_id').where('id', '=', id).forUpdate()
  return (await row.executeTakeFirstOrThrow()).job_id
}

export async function markBrought(tx: Tx, id: number, signature: string, jobId: string): Promise<void> {
  await tx.updateTable('prepared_actions').set({ signature, job_id: jobId }).where('id', '=', id).execute()
}

/** Forgets the actions that nobody signed in time; a submitted one goes with its job. */
export const sweepPreparedActions: Sweep = ({ db, clock }) =>
  db.transaction('system', async (tx) => {
    const hourAgo = new Date(clock.now().getTime() - 60 * MINUTE_MS)
    await tx.deleteFrom('prepared_actions').where('job_id', 'is', null).where('created', '<', hourAgo).execute()
  })
