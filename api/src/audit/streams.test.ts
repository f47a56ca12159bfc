import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { buildApp } from '../app.js'
import { readConfig } from '../config.js'
import { testIndex } from '../ledger/testing.js'
import { scratchDatabase, testEnvironment } from '../platform/testing.js'
import { audit } from './index.js'
import { convener, issuer } from './testing.js'

const EVENTS = 30_000

test('who stops reading a stream is let go; who reads on gets all of it', async () => {
  const scratch = await scratchDatabase()
  const ledger = await testIndex(scratch)
  await ledger.blocks(20)
  await ledger.large([convener, issuer], EVENTS)
  const urls = { DATABASE_URL: scratch.tenantUrl, SYSTEM_DATABASE_URL: scratch.systemUrl }
  const config = readConfig({ ...urls, ACCREDIT_TEST: '1', STREAM_STALL_MS: '300' })
  const app = await buildApp(testEnvironment(scratch, { index: ledger.index, config }), [audit])
  try {
    const url = new URL(await app.listen({ port: 0 }))
    const gone = new Promise<void>((resolve) => app.server.on('connection', (peer) => peer.once('close', resolve)))
    const socket = connect(Number(url.port), url.hostname)
    socket.write('GET /ledger/events HTTP/1.1\r\nHost: x\r\nAccept: application/x-ndjson\r\n\r\n')
    await once(socket, 'readable')
    await gone
    socket.destroy()

    const all = await (await fetch(`${url}ledger/events`, { headers: { accept: 'text/csv' } })).text()
    expect(all.split('\r\n')).toHaveLength(EVENTS + 2)
  } finally {
    await app.close()
    await ledger.close()
    await scratch.close()
  }
})
