import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { forceBatch } from '@accredit/chain'
import { ApiPromise, Keyring } from '@polkadot/api'
import { expect, test } from 'vitest'
import { Crowd } from '../../chain/embedded/src/testing/crowd'
import { LedgerProcesses, socketTo } from '../../chain/embedded/src/testing/ledger-process'
import { scratchDatabase } from '../../test/support/scratch-database'
import { IndexProcess } from './testing/index-process'

const LEDGER_TOKEN = 'a-token-of-the-product-itself-and-nobody-else'
const CROWD = 100

test('the index reconnects to a restarted ledger while others take every free connection', async () => {
  const database = await scratchDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'ledger-'))
  const payer = new Keyring({ type: 'ed25519' }).addFromSeed(new Uint8Array(32).fill(7))
  const ledgers = new LedgerProcesses({
    DATABASE_URL: database.url,
    LEDGER_KEY_FILE: join(folder, 'keys.json'),
    LEDGER_FEE_ACCOUNTS: payer.address,
    LEDGER_TOKEN,
  })
  const { child, url } = await ledgers.start()
  const ownUrl = `${url}/${LEDGER_TOKEN}`
  const indexer = await IndexProcess.start(database.url, ownUrl)
  const crowd = new Crowd(url)
  try {
    crowd.gather(CROWD)
    await expect.poll(() => crowd.inside).toBeGreaterThan(20)
    child.kill('SIGKILL')
    await once(child, 'exit')
    await ledgers.start({ LEDGER_PORT: new URL(url).port })
    await expect.poll(() => crowd.inside, { timeout: 10_000 }).toBeGreaterThan(20)
    const api = await ApiPromise.create({ provider: await socketTo(ownUrl), noInitWarn: true })
    await api.tx(api.createType('Call', forceBatch([]))).signAndSend(payer)
    const height = (await api.rpc.chain.getHeader()).number.toNumber()
    await api.disconnect()
    expect(height).toBeGreaterThan(0)
    await indexer.reaches(height)
    expect(crowd.inside).toBeGreaterThan(20)
  } finally {
    crowd.leave()
    await indexer.stop()
    ledgers.killAll()
    await database.drop()
    await rm(folder, { recursive: true })
  }
})
