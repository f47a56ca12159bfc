import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { buildApp } from '../app.js'
import { readConfig } from '../config.js'
import { indexedDatabase, testIndex } from '../ledger/testing/test-index.js'
import { testEnvironment } from '../platform/testing/scratch-database.js'
import { audit } from './operations.js'
import { convener, issuer } from './testing.js'

const EVENTS = Number(process.env.SOAK_EVENTS ?? 30_000)
/** The answer tells of a million events, in a text of some 400 MB. */
const MOST_MEMORY = 250 * 1024 * 1024

test('a client that stops reading loses its stream, and a slow one gets all of it', async () => {
  const scratch = await indexedDatabase()
  const ledger = await testIndex(scratch)
  await ledger.blocks(20)
  await ledger.large([convener, issuer], EVENTS)
  const urls = { DATABASE_URL: scratch.tenantUrl, SYSTEM_DATABASE_URL: scratch.systemUrl }
  const impatient = readConfig({ ...urls, ACCREDIT_TEST: '1', STREAM_STALL_MS: '2000' })
  const appWith = (config = impatient) => buildApp(testEnvironment(scratch, { index: ledger.index, config }), [audit])
  const [app, another] = [await appWith(), await appWith(readConfig(urls))]
  try {
    const url = new URL(await app.listen({ port: 0 }))
    const gone = new Promise<void>((resolve) => app.server.on('connection', (peer) => peer.once('close', resolve)))
    const socket = connect(Number(url.port), url.hostname)
    socket.write('GET /ledger/events HTTP/1.1\r\nHost: x\r\nAccept: application/x-ndjson\r\n\r\n')
    await once(socket, 'readable')
    await gone
    socket.destroy()

    // The reader is patient: on a busy machine a reader may stand still, too.
    const { lines, memory } = await readThrough(`${await another.listen({ port: 0 })}/ledger/events`)
    expect(lines).toBe(EVENTS + 1)
    expect(memory).toBeLessThan(MOST_MEMORY)
  } finally {
    await Promise.all([app.close(), another.close()])
    await ledger.close()
    await scratch.close()
  }
})

/** Counts the lines of a table, and the most memory that this process, which also serves it, took meanwhile. */
async function readThrough(url: string): Promise<{ lines: number; memory: number }> {
  const { body } = await fetch(url, { headers: { accept: 'text/csv' } })
  const before = process.memoryUsage.rss()
  let [lines, most] = [0, before]
  for await (const chunk of body ?? []) {
    lines += Buffer.from(chunk).toString('latin1').split('\n').length - 1
    most = Math.max(most, process.memoryUsage.rss())
  }
  return { lines, memory: most - before }
}
