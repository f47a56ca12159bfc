import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { IndexProcess } from './index-process'

test('an indexer that does not get ready is ended, and its start says so', async () => {
  const silent = createServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const patience = new AbortController()
  const url = `postgres://nobody@127.0.0.1:${port}/none`
  const refused = expect(IndexProcess.start(url, 'ws://127.0.0.1:1', patience.signal)).rejects.toThrow('not get ready')
  const [connection] = await once(silent, 'connection')
  const left = once(connection.resume(), 'close')
  patience.abort()
  await refused
  await left
  silent.close()
})
