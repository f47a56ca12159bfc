import { hkdfSync, randomBytes } from 'node:crypto'
import { linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { LRUCache } from 'lru-cache'
import type { Database, Reader } from '../database/database.js'

const REMEDY =
  'Without it invitations that were sent are refused and events that wait for web hooks cannot be opened: restore it from a backup, or forget this installation and begin a new one (npm start -- --fresh)'

/**
 * Makes the service key of a database that knows none yet. A database that is in use gets no other key.
 * @throws in a sentence for people when the file of such a database is lost or holds another key
 */
export function prepareServiceKey(db: Database, file: string): Promise<void> {
  return db.transaction('system', async (tx) => {
    const known = await knownFingerprint(tx)
    if (known === undefined && !exists(file)) makeServiceKey(file)
    const fingerprint = fingerprintOf(readServiceKey(file))
    await tx
      .insertInto('service_key')
      .values({ fingerprint })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    refuseOther(await knownFingerprint(tx), fingerprint, file)
  })
}

/** Throws the same sentence when a process was given another key than the one that its database is used with. */
export async function checkServiceKey(db: Database, serviceKey: Buffer, file: string): Promise<void> {
  const known = await db.read('system', knownFingerprint)
  if (known === undefined)
    throw new Error('this database has no service key yet: run migrate with SERVICE_KEY_FILE set')
  refuseOther(known, fingerprintOf(serviceKey), file)
}

const fingerprintOf = (serviceKey: Buffer): Buffer => keyDerivation(serviceKey)('fingerprint')

function refuseOther(known: Buffer | undefined, fingerprint: Buffer, file: string): void {
  if (known?.equals(fingerprint)) return
  throw new Error(`the service key in ${file} is not the one that this database is used with. ${REMEDY}`)
}

export function readServiceKey(file: string): Buffer {
  if (!exists(file)) throw new Error(`the service key file ${file} is missing. ${REMEDY}`)
  const key = readFileSync(file)
  if (key.length < 32) throw new Error(`${file} is no service key: 32 bytes expected, ${key.length} found`)
  return key
}

/** The most labels whose keys are remembered; some name a team. */
const MOST_DERIVED = 1000

export function keyDerivation(serviceKey: Uint8Array): (label: string) => Buffer {
  const derived = new LRUCache<string, Buffer>({ max: MOST_DERIVED })
  return (label) => {
    const key = derived.get(label) ?? Buffer.from(hkdfSync('sha256', serviceKey, 'accredit', label, 32))
    derived.set(label, key)
    return key
  }
}

async function knownFingerprint(reader: Reader): Promise<Buffer | undefined> {
  return (await reader.selectFrom('service_key').select('fingerprint').executeTakeFirst())?.fingerprint
}

const exists = (file: string): boolean => statSync(file, { throwIfNoEntry: false }) !== undefined

/** The file is written whole or not at all, also by two processes at once. */
function makeServiceKey(file: string): void {
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, randomBytes(32), { mode: 0o600, flush: true })
  try {
    linkSync(draft, file)
  } catch (error) {
    if (!exists(file)) throw error
  } finally {
    rmSync(draft, { force: true })
  }
}
