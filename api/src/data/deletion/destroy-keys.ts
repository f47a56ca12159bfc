import '../../dids/did.tables.js'
import '../../status/registry.tables.js'
import { anyOf } from '../../platform/database/any-of.js'
import type { TeamId } from '../../platform/database/ids.js'
import type { Environment } from '../../platform/http/context.js'
import { ACCUMULATOR, destroyKey } from '../../status/accumulator/keys.js'

const AT_ONCE = 100

type Needs = Pick<Environment, 'db' | 'signer' | 'clock'>

/** Lets the signer forget some private keys of the DIDs of a team. @returns how many; 0: there are no more */
export async function destroyKeysOfDids({ db, signer, clock }: Needs, team: TeamId): Promise<number> {
  const due = await db.read('system', (reader) =>
    reader
      .selectFrom('did_keys')
      .select('key_ref')
      .where('team_id', '=', team)
      .where('destroyed', 'is', null)
      .limit(AT_ONCE)
      .execute(),
  )
  const refs = due.map(({ key_ref }) => key_ref)
  if (refs.length === 0) return 0
  await signer.destroyKeys(refs)
  await db.transaction('system', async (tx) =>
    tx.defer(
      tx.updateTable('did_keys').set({ state: 'retired', destroyed: clock.now() }).where('key_ref', '=', anyOf(refs)),
    ),
  )
  return refs.length
}

/** The same for keys that no DID document lists. */
export async function destroyMacKeys({ db, signer }: Needs, team: TeamId): Promise<number> {
  const due = await db.read('system', (reader) =>
    reader.selectFrom('mac_keys').select('key_ref').where('team_id', '=', team).limit(AT_ONCE).execute(),
  )
  const refs = due.map(({ key_ref }) => key_ref)
  if (refs.length === 0) return 0
  await signer.destroyKeys(refs)
  await db.transaction('system', async (tx) => tx.defer(tx.deleteFrom('mac_keys').where('key_ref', '=', anyOf(refs))))
  return refs.length
}

/**
 * The same for the accumulators of a team: a key that is gone already stays so.
 *
 * @param after the last registry that was seen
 * @returns how many, and the next place; without one there are no more
 */
export async function destroyAccumulatorKeys(
  { db, signer }: Needs,
  team: TeamId,
  after: number,
): Promise<{ count: number; next: number | undefined }> {
  const registries = await db.read('system', (reader) =>
    reader
      .selectFrom('revocation_registries')
      .select(['id', 'n'])
      .where('team_id', '=', team)
      .where('type', '=', ACCUMULATOR)
      .where('n', '>', after)
      .orderBy('n')
      .limit(AT_ONCE)
      .execute(),
  )
  for (const { id } of registries) await destroyKey({ signer }, id)
  return { count: registries.length, next: registries.at(-1)?.n }
}
