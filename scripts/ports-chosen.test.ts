import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { StartOptions } from './start/options.js'
import { Refusal } from './start/refusal.js'
import { loadSettings, saveSettings } from './start/state/settings.js'

let stateDir: string
beforeAll(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'accredit-ports-'))
})
afterAll(() => rm(stateDir, { recursive: true, force: true }))

const load = (chosen: Partial<StartOptions>) =>
  loadSettings({
    projectRoot: '/x',
    environment: 'sandbox',
    fresh: false,
    tour: false,
    databaseUrl: undefined,
    port: undefined,
    stateDir,
    ...chosen,
  })
const refused = (port: number) =>
  new Refusal(`Port ${port} is the API's: choose another one for the ledger (--ledger-port N).`)

test('the ledger gets no port that is the API’s, at the first start and later', async () => {
  await expect(load({ ledgerPort: 3300 })).rejects.toThrow(refused(3300))
  await expect(load({ environment: 'production', ledgerPort: 3400 })).rejects.toThrow(refused(3400))
  await expect(load({ port: 3501, ledgerPort: 3501 })).rejects.toThrow(refused(3501))
  expect(await readdir(stateDir)).toEqual([])
  const first = await load({ port: 3501, ledgerPort: 3502 })
  expect(first).toMatchObject({ port: 3501, ledgerPort: 3502 })
  await saveSettings(stateDir, first)
  await expect(load({ ledgerPort: 3501 })).rejects.toThrow(refused(3501))
  expect(await load({ ledgerPort: 3500 })).toMatchObject({ port: 3501, ledgerPort: 3500 })
})
