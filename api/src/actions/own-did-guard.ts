import { didSvc, parseHex32, type ReadCall } from '@accredit/chain'
import { losesLastKey, ownDid } from '../dids/did.store.js'
import type { Context } from '../platform/context.js'
import type { Reader } from '../platform/database/database.js'
import { invalid } from '../platform/errors.js'

type Fields = ReadCall['fields']
/** What to do instead; undefined where nothing stands against it. */
type Guard = (reader: Reader, did: string, fields: Fields) => Promise<string | undefined>

/** The service numbers the keys of the DIDs that it keeps. */
const newKeys: Guard = async () => 'add and rotate them with PATCH /dids/{did}'

/** Before a DID of the caller ends, its last status lists are signed, and it must not convene a registry. */
const end: Guard = async () => 'end it with DELETE /dids/{did}'

/** Without a key here a DID could neither issue nor be changed or deleted here any more. */
const lastKey: Guard = async (reader, did, fields) => {
  const keys: unknown = fields.get('keys')
  if (!Array.isArray(keys)) throw new TypeError('Did.revoke_keys has no list of keys')
  return (await losesLastKey(reader, did, keys.map(Number)))
    ? 'none that acts and asserts would be left; rotate first with PATCH /dids/{did} and wait for its job, or end the DID with DELETE /dids/{did}'
    : undefined
}

const GUARDS: ReadonlyMap<string, Guard> = new Map([
  ['Did.add_keys', newKeys],
  ['Did.rotate_key', newKeys],
  ['Did.deactivate', end],
  ['Did.revoke_keys', lastKey],
])

/**
 * What would harm a DID whose keys the service keeps for the caller. Of everybody else's the ledger decides: what their
 * controllers do to them is followed, and whether the service keeps them is not told.
 */
export async function refuseBehindOurBack({ db, scope }: Context, name: string, fields: Fields): Promise<void> {
  const guard = GUARDS.get(name)
  if (guard === undefined) return
  const target: unknown = fields.get('did')
  const id = typeof target === 'string' ? parseHex32(target) : undefined
  if (id === undefined) throw new TypeError(`${name} has no DID of the ledger`)
  const did = didSvc(id)
  const instead = await db.read(scope, async (reader) =>
    (await ownDid(reader, did)) === undefined ? undefined : guard(reader, did, fields),
  )
  if (instead !== undefined) throw invalid(`params.did is a DID whose keys this service keeps: ${instead}`)
}
