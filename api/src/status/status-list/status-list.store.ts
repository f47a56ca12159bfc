import { sql } from 'kysely'
import type { Reader, Tx } from '../../platform/database/database.js'

export interface SignedList {
  registryId: string
  /** The type of registries whose form of list it is. */
  form: string
  /** The block that made the bits what they are. */
  changedAt: number
  /** The verification method. */
  signedBy: string
  document: string
}

/** The kept list, when it is not of a later state of the bits than this. */
export function findSignedList(
  reader: Reader,
  { registryId, form }: Pick<SignedList, 'registryId' | 'form'>,
  changedAt: number,
): Promise<SignedList | undefined> {
  return reader
    .selectFrom('status_lists')
    .select(['registry_id as registryId', 'form', 'changed_at as changedAt', 'signed_by as signedBy', 'document'])
    .where('registry_id', '=', registryId)
    .where('form', '=', form)
    .where('changed_at', '<=', changedAt)
    .orderBy('changed_at', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** Keeps a list instead of the ones before it, unless a newer one is there already. */
export async function keepSignedList(tx: Tx, list: SignedList, now: Date): Promise<void> {
  const { registryId, form, changedAt, signedBy, document } = list
  await sql`delete from status_lists where registry_id = ${registryId} and form = ${form}
    and changed_at < ${changedAt}`.execute(tx)
  await sql`
    insert into status_lists (registry_id, form, changed_at, signed_by, document, created)
    select ${registryId}, ${form}, ${changedAt}::int, ${signedBy}, ${document}, ${now}::timestamptz
    where not exists (select from status_lists where registry_id = ${registryId} and form = ${form} and changed_at > ${changedAt})
    on conflict (registry_id, form, changed_at) do update
      set signed_by = excluded.signed_by, document = excluded.document, created = excluded.created`.execute(tx)
}
