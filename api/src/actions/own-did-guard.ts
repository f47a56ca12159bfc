import { didSvc, parseHex32, type ReadCall } from '@accredit/chain'
import { sql } from 'kysely'
import { lockDids, losesLastKey, ownDid } from '../dids/did.store.js'
import type { Reader, Tx } from '../platform/database/database.js'
import { invalid } from '../platform/errors.js'
import type { Context } from '../platform/http/context.js'
import { findRegistry } from '../status/registry.store.js'
import { ACTION_JOB } from './action-job.js'

const REVOKE_KEYS = 'Did.revoke_keys'

type Fields = ReadCall['fields']
/** Tells what to do instead; undefined where nothing forbids the call. */
type Guard = (reader: Reader, did: string, fields: Fields) => Promise<string | undefined>

/** The service numbers the keys of the DIDs that it keeps. */
const newKeys: Guard = async () => 'add and rotate them with PATCH /dids/{did}'

/** Before a DID of the caller ends, its last status lists are signed, and it must not convene a registry. */
const end: Guard = async () => 'end it with DELETE /dids/{did}'

/** Protects the last key: without one here a DID could neither issue nor be changed or deleted here any more. */
const lastKey: Guard = async (reader, did, fields) => {
  const going = [...keysOf(fields), ...(await keysBeingRevoked(reader, did))]
  return (await losesLastKey(reader, did, going))
    ? 'none that acts and asserts would be left; rotate first with PATCH /dids/{did} and wait for its job, or end the DID with DELETE /dids/{did}'
    : undefined
}

const GUARDS: ReadonlyMap<string, Guard> = new Map([
  ['Did.add_keys', newKeys],
  ['Did.rotate_key', newKeys],
  ['Did.deactivate', end],
  [REVOKE_KEYS, lastKey],
])

/** Tells whether a guard looks at a call by itself, so that no other may stand in its dispatch. */
export const standsAlone = (name: string): boolean => GUARDS.has(name)

interface Call {
  name: string
  fields: Fields
}

/**
 * Refuses what would harm a DID whose keys the service keeps for the caller, or an accumulator whose key it keeps. The
 * ledger alone decides about all others: the service follows what the controllers of a DID do to it, and does not tell
 * whether it keeps their keys.
 */
export async function refuseBehindOurBack(ctx: Context, call: Call): Promise<void> {
  const { db, scope } = ctx
  const target = guardedDid(call)
  if (target !== undefined) await db.read(scope, (reader) => refuse(reader, target, call))
  if (call.name === UPDATE_ACCUMULATOR) await refuseForeignValue(ctx, call)
}

const UPDATE_ACCUMULATOR = 'Revocation.update_accumulator'

/**
 * The ledger takes any bytes as the value of an accumulator. Of one whose key is here, a value that was made elsewhere
 * can only be wrong: no member could prove anything any more, or everybody could.
 */
async function refuseForeignValue({ db, scope, statusMethods }: Context, { fields }: Call): Promise<void> {
  const id: unknown = fields.get('registryId')
  const registry = typeof id === 'string' ? await db.read(scope, (reader) => findRegistry(reader, id)) : undefined
  if (registry !== undefined && statusMethods.of(registry).change.by === 'updates')
    throw invalid(
      'params.registryId is an accumulator whose key this service keeps, and which alone makes its values: revoke with POST /registries/{id} or POST /credentials/{id}/revoke',
    )
}

/**
 * Does the same in the transaction that accepts the call, before it locks anything else of DIDs: of two calls that are
 * each good alone the second is refused.
 *
 * @returns what the job keeps of it, for the jobs that come after
 */
export async function acceptGuarded(tx: Tx, actor: string, calls: readonly Call[]): Promise<Record<string, unknown>> {
  const call = calls.find(({ name }) => standsAlone(name))
  const target = call && guardedDid(call)
  if (call === undefined || target === undefined) return {}
  await lockDids(tx, [actor, target])
  await refuse(tx, target, call)
  return call.name === REVOKE_KEYS ? { revokesKeysOf: target, keys: keysOf(call.fields) } : {}
}

async function refuse(reader: Reader, did: string, { name, fields }: Call): Promise<void> {
  if ((await ownDid(reader, did)) === undefined) return
  const instead = await GUARDS.get(name)?.(reader, did, fields)
  if (instead !== undefined) throw invalid(`params.did is a DID whose keys this service keeps: ${instead}`)
}

function guardedDid({ name, fields }: Call): string | undefined {
  if (!GUARDS.has(name)) return undefined
  const target: unknown = fields.get('did')
  const id = typeof target === 'string' ? parseHex32(target) : undefined
  if (id === undefined) throw new TypeError(`${name} has no DID of the ledger`)
  return didSvc(id)
}

function keysOf(fields: Fields): number[] {
  const keys: unknown = fields.get('keys')
  if (!Array.isArray(keys)) throw new TypeError(`${REVOKE_KEYS} has no list of keys`)
  return keys.map(Number)
}

/** Keys whose revocation was accepted and is not known to be on the ledger. */
async function keysBeingRevoked(reader: Reader, did: string): Promise<number[]> {
  const { rows } = await sql<{ key: number }>`
    select jsonb_array_elements(data -> 'keys')::bigint as key from jobs
    where status in ('todo', 'in_progress') and kind = ${ACTION_JOB} and data ->> 'revokesKeysOf' = ${did}`.execute(
    reader,
  )
  return rows.map(({ key }) => key)
}
