import type { Reader, Tx } from '../platform/database/database.js'

export interface SignedList {
  registryId: string
  changedAt: number
  signedBy: string
  document: string
}

/** The newest list that was signed for this state of the bits or an earlier one. */
export function findSignedList(reader: Reader, registryId: string, changedAt: number): Promise<SignedList | undefined> {
  return reader
    .selectFrom('status_lists')
    .select(['registry_id as registryId', 'changed_at as changedAt', 'signed_by as signedBy', 'document'])
    .where('registry_id', '=', registryId)
    .where('changed_at', '<=', changedAt)
    .orderBy('changed_at', 'desc')
    .limit(1)
    .executeTakeFirst()
}

export async function keepSignedList(tx: Tx, list: SignedList, now: Date): Promise<void> {
  const { registryId, changedAt, signedBy, document } = list
  await tx
    .insertInto('status_lists')
    .values({ registry_id: registryId, changed_at: changedAt, signed_by: signedBy, document, created: now })
    .onConflict((conflict) =>
      conflict.columns(['registry_id', 'changed_at']).doUpdateSet({ signed_by: signedBy, document, created: now }),
    )
    .execute()
}
