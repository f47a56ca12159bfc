/** What is done before a signer runs, and to its master key: `init` and `rotate-master-key`. */
import { existsSync } from 'node:fs'
import type { StoreConfig } from './config.js'
import { makeDataKeyWhenMissing, openVault, rewrapDataKeys } from './data-keys.js'
import { openDatabase } from './database.js'
import { SetupError } from './errors.js'
import { makeFeeAccountWhenMissing } from './fee-account.js'
import { tryLock } from './lease.js'
import { appendMasterKey, dropOldMasterKeys, makeMasterKeyFile, openMasterKeyFile } from './master-key.js'
import { grantToChain, migrate } from './migrations.js'
import { type Randomness, systemRandomness } from './randomness.js'

/** Tables, master key and fee account, each only when missing. Returns the fee account's address. */
export async function initialise(config: StoreConfig, random: Randomness = systemRandomness): Promise<string> {
  const { db, close } = openDatabase(config.databaseUrl, random)
  try {
    await migrate(db)
    await grantToChain(db, config.chainReader)
    if (!existsSync(config.masterKeyFile)) {
      const sealed = await db.selectFrom('data_keys').select('id').executeTakeFirst()
      if (sealed !== undefined) {
        throw new SetupError(`${config.masterKeyFile} is missing, and this database is sealed with it: restore it.`)
      }
      makeMasterKeyFile(config.masterKeyFile, random)
    }
    const master = openMasterKeyFile(config.masterKeyFile, random)
    await makeDataKeyWhenMissing(db, master, random)
    return await makeFeeAccountWhenMissing(db, await openVault(db, master, random), random)
  } finally {
    await close()
  }
}

/**
 * Stopped between any two steps it can be started again: the file always holds every key that is still needed.
 * Nobody else may be at the file meanwhile: a signer that runs is refused with a sentence, and has to be stopped.
 */
export async function rotateMasterKey(config: StoreConfig, random: Randomness = systemRandomness): Promise<number> {
  const { db, pool, close } = openDatabase(config.databaseUrl, random)
  const connection = await pool.connect()
  try {
    if (!(await tryLock(connection))) {
      throw new SetupError('A signer holds this database: stop it before its master key is rotated.')
    }
    appendMasterKey(config.masterKeyFile, random)
    const count = await rewrapDataKeys(db, openMasterKeyFile(config.masterKeyFile, random))
    dropOldMasterKeys(config.masterKeyFile)
    return count
  } finally {
    connection.release(true)
    await close()
  }
}
