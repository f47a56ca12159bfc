import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { guardedFetcher, isPublicAddress } from './guarded-fetch.js'

const servers: Server[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  }
})

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return `http://127.0.0.1:${port}/`
}

const limits = { maxBytes: 1000, timeoutMs: 30_000, accept: 'application/json' }
const onLoopback = guardedFetcher({ isAllowed: (address) => address === '127.0.0.1', protocols: ['http:'] })
const guarded = guardedFetcher()

describe('the guarded fetch', () => {
  it.each([
    ...[
      '127.0.0.1',
      '10.0.0.1',
      '192.168.1.1',
      '172.16.0.1',
      '169.254.169.254',
      '100.64.0.1',
      '0.0.0.0',
      '::1',
      'fe80::1',
    ],
    ...[
      'fd00::1',
      '::ffff:127.0.0.1',
      '::ffff:10.0.0.1',
      '224.0.0.1',
      '255.255.255.255',
      '64:ff9b::7f00:1',
      'not an address',
    ],
  ])('%s is not public', (address) => expect(isPublicAddress(address)).toBe(false))

  it.each(['8.8.8.8', '2606:4700:4700::1111', '::ffff:8.8.8.8'])('%s is public', (address) =>
    expect(isPublicAddress(address)).toBe(true),
  )

  it.each([
    ...[
      'http://example.org/',
      'ftp://example.org/',
      'file:///etc/passwd',
      'nothing',
      'https://user:secret@example.org/',
    ],
    ...[
      'https://localhost/',
      'https://127.0.0.1/',
      'https://[::1]/',
      'https://2130706433/',
      'https://0x7f.1/',
      'https://nowhere.invalid/',
    ],
  ])('refuses %s without connecting', async (url) => {
    await expect(guarded(url, limits)).rejects.toThrow(expect.objectContaining({ name: 'FetchRefused' }))
  })

  it('brings what is there', async () => {
    const url = await serve((request, answer) => answer.end(request.headers.accept))
    expect((await onLoopback(url, limits)).toString()).toBe('application/json')
  })

  it('follows a redirect, and checks where it leads', async () => {
    const goal = await serve((_, answer) => answer.end('there'))
    const leading = (location: string) => serve((_, answer) => answer.writeHead(302, { location }).end())
    expect((await onLoopback(await leading(goal), limits)).toString()).toBe('there')
    await expect(onLoopback(await leading('http://[::1]:1/'), limits)).rejects.toThrow(/public address/)
    const loop = await serve((_, answer) => answer.writeHead(302, { location: '/' }).end())
    await expect(onLoopback(loop, limits)).rejects.toThrow(/too many/)
  })

  it('stops at its limits: size, time, status', async () => {
    const large = await serve((_, answer) => answer.end('x'.repeat(1001)))
    await expect(onLoopback(large, limits)).rejects.toThrow(/larger/)
    const slow = await serve((_, answer) => void answer.write('x'))
    await expect(onLoopback(slow, { ...limits, timeoutMs: 100 })).rejects.toThrow(/cannot be reached/)
    const asked = guardedFetcher({ isAllowed: () => true, protocols: ['http:'], lookup: () => new Promise(() => {}) })
    await expect(asked('http://slow.example/', { ...limits, timeoutMs: 100 })).rejects.toThrow(/cannot be reached/)
    const missing = await serve((_, answer) => answer.writeHead(404).end())
    await expect(onLoopback(missing, limits)).rejects.toThrow(/404/)
  })
})
