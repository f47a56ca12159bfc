import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parseOptions } from './start/options.js'
import { Refusal } from './start/refusal.js'
import { loadSettings, saveSettings } from './start/state/settings.js'

let stateDir: string
beforeEach(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'accredit-network-'))
})
afterEach(() => rm(stateDir, { recursive: true, force: true }))

const start = async (...argv: string[]) => {
  const settings = await loadSettings(parseOptions(['--state', stateDir, ...argv], '/x', {}))
  await saveSettings(stateDir, settings)
  return settings.ledgerUrls
}

test('the nodes of a network are kept from the first start, and may have other addresses later', async () => {
  expect(await start('--ledger-urls', 'ws://a:1, wss://b')).toEqual(['ws://a:1', 'wss://b'])
  expect(await start()).toEqual(['ws://a:1', 'wss://b'])
  expect(await start('--ledger-urls', 'ws://c')).toEqual(['ws://c'])
  expect(await start()).toEqual(['ws://c'])
})

test('an installation with a ledger of its own is not moved to a network', async () => {
  expect(await start()).toBeUndefined()
  await expect(start('--ledger-urls', 'ws://a')).rejects.toThrow(/has a ledger of its own since its first start/)
  expect(await start()).toBeUndefined()
})

test('a text that is no address of a node is refused', async () => {
  for (const urls of ['http://a', 'ws://', 'a', ''])
    await expect(start(`--ledger-urls=${urls}`), urls).rejects.toThrow(Refusal)
})
