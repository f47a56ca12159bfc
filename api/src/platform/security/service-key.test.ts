import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type ScratchDatabase, serviceDatabase } from '../testing/scratch-database.js'
import { prepareServiceKey, readServiceKey } from './service-key.js'

let scratch: ScratchDatabase
let folder: string
let file: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'service-key-'))
  file = join(folder, 'service.key')
})
beforeEach(async () => {
  rmSync(file, { force: true })
  scratch = await serviceDatabase()
  return () => scratch.close()
})
afterAll(() => rmSync(folder, { recursive: true }))

test('a new database gets a key that only its owner reads, and keeps it at every later start', async () => {
  await Promise.all([prepareServiceKey(scratch.db, file), prepareServiceKey(scratch.db, file)])
  const made = readServiceKey(file)
  expect(made).toHaveLength(32)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  await prepareServiceKey(scratch.db, file)
  expect(readServiceKey(file)).toEqual(made)
})

test('a database in use gets no other key when its file is lost, and says what to do', async () => {
  await prepareServiceKey(scratch.db, file)
  const kept = readFileSync(file)
  rmSync(file)
  const isMissing = `the service key file ${file} is missing. Without it invitations`
  await expect(prepareServiceKey(scratch.db, file)).rejects.toThrow(isMissing)
  expect(() => readServiceKey(file)).toThrow(isMissing)
  expect(statSync(file, { throwIfNoEntry: false })).toBeUndefined()
  writeFileSync(file, kept)
  await prepareServiceKey(scratch.db, file)
})

test('the key of another installation is told from the right one and left as it is', async () => {
  await prepareServiceKey(scratch.db, file)
  const foreign = Buffer.alloc(32, 5)
  writeFileSync(file, foreign)
  await expect(prepareServiceKey(scratch.db, file)).rejects.toThrow(
    `the service key in ${file} is not the one that this database is used with`,
  )
  expect(readFileSync(file)).toEqual(foreign)
  writeFileSync(file, 'short')
  await expect(prepareServiceKey(scratch.db, file)).rejects.toThrow('32 bytes expected, 5 found')
})
