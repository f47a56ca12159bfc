import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from './config.js'
import { openEnvironment } from './environment.js'
import { createLog } from './platform/process/log.js'
import { prepareServiceKey } from './platform/security/service-key.js'
import { type ScratchDatabase, serviceDatabase } from './platform/testing/scratch-database.js'

let scratch: ScratchDatabase
let folder: string
beforeAll(async () => {
  scratch = await serviceDatabase()
  folder = mkdtempSync(join(tmpdir(), 'environment-'))
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await scratch.close()
})

const open = (file: string) =>
  openEnvironment(
    readConfig({
      DATABASE_URL: scratch.tenantUrl,
      SYSTEM_DATABASE_URL: scratch.systemUrl,
      SERVICE_KEY_FILE: file,
      SIGNER_SOCKET: join(folder, 'signer.sock'),
    }),
    createLog('silent', 'test'),
  )

test('a process starts with the service key of its database, and with no other', async () => {
  const [own, foreign] = [join(folder, 'own.key'), join(folder, 'foreign.key')]
  writeFileSync(foreign, Buffer.alloc(32, 5))
  await expect(open(foreign)).rejects.toThrow('no service key yet: run migrate')
  await prepareServiceKey(scratch.db, own)
  await expect(open(foreign)).rejects.toThrow(
    `the service key in ${foreign} is not the one that this database is used with`,
  )
  const { close } = await open(own)
  await close()
})

test('every process derives the key of a password with 64 MiB and three passes', async () => {
  const own = join(folder, 'own.key')
  await prepareServiceKey(scratch.db, own)
  const { environment, close } = await open(own)
  expect(environment.passwordCost).toEqual({ memoryCost: 65_536, timeCost: 3 })
  await close()
})
