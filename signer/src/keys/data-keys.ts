import { seal, unseal } from '@accredit/process/seal'
import type { Selectable } from 'kysely'
import type { DataKeysTable, Db } from '../database.js'
import { SetupError } from '../errors.js'
import type { Randomness } from '../randomness.js'
import type { MasterKey } from './master-key.js'

export interface Sealed {
  sealed: Buffer
  dataKeyId: string
}

/** Seals and opens private keys; `context` names the sealed key, so that rows cannot be swapped. */
export interface Vault {
  seal(plain: Uint8Array, context: string): Sealed
  open(value: Sealed, context: string): Buffer
}

/** Unwraps the data keys of this database; the same one seals in every process. */
export async function openVault(db: Db, master: MasterKey, random: Randomness): Promise<Vault> {
  const rows = await db.selectFrom('data_keys').selectAll().orderBy('id').execute()
  const keys = new Map<string, Buffer>()
  for (const row of rows) {
    keys.set(row.id, await unwrap(master, row))
  }
  const sealing = rows.at(-1)?.id
  const keyNamed = (id: string | undefined) => {
    const key = id === undefined ? undefined : keys.get(id)
    if (id === undefined || key === undefined) throw new SetupError('The data key is missing: run `init` first.')
    return { id, key }
  }
  return {
    seal(plain, context) {
      const { id, key } = keyNamed(sealing)
      return { sealed: seal(key, plain, context, random), dataKeyId: id }
    },
    open: ({ sealed, dataKeyId }, context) => unseal(keyNamed(dataKeyId).key, sealed, context),
  }
}

export async function makeDataKeyWhenMissing(db: Db, master: MasterKey, random: Randomness): Promise<void> {
  const existing = await db.selectFrom('data_keys').select('id').executeTakeFirst()
  if (existing !== undefined) return
  const id = Buffer.from(random(8)).toString('hex')
  const wrapped = await master.wrap(random(32), contextOf(id))
  await db.insertInto('data_keys').values({ id, wrapped, master_key_id: master.currentId }).execute()
}

/** Wraps every data key under the current master key. Private keys stay as they are sealed. */
export async function rewrapDataKeys(db: Db, master: MasterKey): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const rows = await tx.selectFrom('data_keys').selectAll().forUpdate().execute()
    for (const row of rows) {
      const plain = await unwrap(master, row)
      const wrapped = await master.wrap(plain, contextOf(row.id))
      const change = { wrapped, master_key_id: master.currentId }
      await tx.updateTable('data_keys').set(change).where('id', '=', row.id).execute()
    }
    return rows.length
  })
}

async function unwrap(master: MasterKey, row: Selectable<DataKeysTable>): Promise<Buffer> {
  try {
    return await master.unwrap(row.master_key_id, row.wrapped, contextOf(row.id))
  } catch (cause) {
    if (cause instanceof SetupError) throw cause
    throw new SetupError(
      `The master key ${row.master_key_id} does not open data key ${row.id}: one of them is damaged.`,
    )
  }
}

function contextOf(dataKeyId: string): string {
  return `data-key ${dataKeyId}`
}
