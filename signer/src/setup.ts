/** Prepares a signer before it runs, and changes its master key: `init`, `rotate-master-key`, `restore-master-key`. */
import { existsSync } from 'node:fs'
import { makeFeeAccountWhenMissing, openFeeAccount } from './actions/fee-account.js'
import { tryLock } from './actions/lease.js'
import type { StoreConfig } from './config.js'
import { type Db, openDatabase } from './database.js'
import { SetupError } from './errors.js'
import { makeDataKeyWhenMissing, openVault, rewrapDataKeys } from './keys/data-keys.js'
import {
  appendMasterKey,
  copyMasterKeyFile,
  dropOldMasterKeys,
  makeMasterKeyFile,
  openMasterKeyFile,
} from './keys/master-key.js'
import { grantToChain, migrate } from './migrations.js'
import { type Randomness, systemRandomness } from './randomness.js'

/** Makes tables, master key and fee account, each only when missing. Returns the fee account's address. */
export async function initialise(config: StoreConfig, random: Randomness = systemRandomness): Promise<string> {
  const { db, close } = openDatabase(config.databaseUrl, random)
  try {
    await migrate(db)
    await grantToChain(db, config.chainReader)
    if (!existsSync(config.masterKeyFile)) {
      const sealed = await db.selectFrom('data_keys').select('id').executeTakeFirst()
      if (sealed === undefined) await makeMasterKeyFile(config.masterKeyFile, random, config.masterKeyToken)
    }
    const master = openMasterKeyFile(config.masterKeyFile, random, config.masterKeyToken)
    await makeDataKeyWhenMissing(db, master, random)
    return await makeFeeAccountWhenMissing(db, await openVault(db, master, random), random)
  } finally {
    await close()
  }
}

/** Makes the tables as they were after a migration, and nothing in them: a restored copy brings their rows. */
export async function makeTables(config: StoreConfig, upTo: string): Promise<void> {
  const { db, close } = openDatabase(config.databaseUrl, systemRandomness)
  try {
    await migrate(db, upTo)
  } finally {
    await close()
  }
}

/**
 * Makes the new key in the token where one is set and the file is not chosen, else in the file. An old key stays in its token: copies of the
 * database that were made before need it. A rotation that stops between any two steps can be started again: the file always holds every key that is still
 * needed. Nobody else may use the file meanwhile: a signer that runs is refused with a sentence, and has to be stopped.
 */
export function rotateMasterKey(
  config: StoreConfig & { toFile?: boolean },
  random: Randomness = systemRandomness,
): Promise<number> {
  return alone(config, random, async (db) => {
    const { masterKeyFile, masterKeyToken } = config
    await appendMasterKey(masterKeyFile, random, config.toFile ? undefined : masterKeyToken)
    const count = await rewrapDataKeys(db, openMasterKeyFile(masterKeyFile, random, masterKeyToken))
    dropOldMasterKeys(masterKeyFile)
    return count
  })
}

/**
 * Puts a copy of the master key file in the signer's place for it, once it is seen to open this database. Returns how
 * many data keys it opens.
 */
export function restoreMasterKey(
  config: StoreConfig,
  backup: string,
  random: Randomness = systemRandomness,
): Promise<number> {
  return alone(config, random, async (db) => {
    if (existsSync(config.masterKeyFile)) {
      throw new SetupError(`There is a ${config.masterKeyFile} already: it is not overwritten, move it away.`)
    }
    if (!existsSync(backup)) throw new SetupError(`There is no file ${backup}.`)
    const vault = await openVault(db, openMasterKeyFile(backup, random, config.masterKeyToken), random)
    await openFeeAccount(db, vault)
    copyMasterKeyFile(backup, config.masterKeyFile)
    const { count } = await db
      .selectFrom('data_keys')
      .select((row) => row.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    return count
  })
}

async function alone<Result>(config: StoreConfig, random: Randomness, act: (db: Db) => Promise<Result>) {
  const { db, pool, close } = openDatabase(config.databaseUrl, random)
  const connection = await pool.connect()
  try {
    if (await tryLock(connection)) return await act(db)
    throw new SetupError('A signer holds this database: stop it before its master key is changed.')
  } finally {
    // The server may notice the end of a connection only after another one has asked for the lock.
    await connection.query('select pg_advisory_unlock_all()').catch(() => undefined)
    connection.release(true)
    await close()
  }
}
