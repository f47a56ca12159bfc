import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import ipaddr from 'ipaddr.js'
import { afterEach, describe, expect, it } from 'vitest'
import { checked, guardedFetcher, isPublicAddress } from './guarded-fetch.js'

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

/** The addresses that IANA's registries of special ones do not list as globally reachable, and multicast. */
const SPECIAL_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '255.255.255.255/32',
]
const SPECIAL = [
  ...SPECIAL_IPV4,
  '::/128',
  '::1/128',
  '::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '100:0:0:1::/64',
  '2001::/32',
  '2001:2::/48',
  '2001::/23',
  '2001:10::/28',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
  '4000::/3',
  '8000::/1',
]

/** Returns the first and the last address of a range, and one between. */
function edgesOf(range: string): string[] {
  const [address, bits] = ipaddr.parseCIDR(range)
  const first = address.toByteArray()
  const filled = (fill: number) =>
    first.map((byte, i) => byte | (fill & (0xff >> Math.min(8, Math.max(0, bits - i * 8)))))
  return [0, 0x5a, 0xff].map((fill) => ipaddr.fromByteArray(filled(fill)).toString())
}

/** IPv4 as IPv6 carries it: mapped, compatible, translated, by 6to4, Teredo and ISATAP. */
function embedded(ipv4: string): string[] {
  const hex = Buffer.from(ipaddr.IPv4.parse(ipv4).toByteArray()).toString('hex')
  const [a, b] = [hex.slice(0, 4), hex.slice(4)]
  return [
    `::ffff:${ipv4}`,
    `::${ipv4}`,
    `64:ff9b::${ipv4}`,
    `64:ff9b:1::${ipv4}`,
    `2002:${a}:${b}::1`,
    `2001:0:${a}:${b}::1`,
    `2606:4700::5efe:${ipv4}`,
    `2606:4700::200:5efe:${ipv4}`,
    `fe80::5efe:${ipv4}`,
  ]
}

const limits = { maxBytes: 1000, timeoutMs: 30_000, accept: 'application/json' }
const onLoopback = guardedFetcher({ isAllowed: (address) => address === '127.0.0.1', protocols: ['http:'] })
const guarded = guardedFetcher()

describe('the guarded fetch', () => {
  it.each(SPECIAL)('no address of %s is public', (range) => {
    for (const address of edgesOf(range)) expect([address, isPublicAddress(address)]).toEqual([address, false])
  })

  it.each(SPECIAL_IPV4)('no address of %s is public inside an IPv6 address either', (range) => {
    for (const address of edgesOf(range))
      for (const form of embedded(address)) expect([form, isPublicAddress(form)]).toEqual([form, false])
  })

  it.each([
    '::127.0.0.1',
    '::8.8.8.8',
    '::7f00:1',
    '2002:7f00:1::1',
    '2002:808:808::1',
    '2001:0:7f00:1::1',
    'fe80::1%eth0',
    '2606:4700:4700::1111%eth0',
    '0x7f.1',
    '0177.0.0.1',
    '010.8.8.8',
    '2130706433',
    '134744072',
    '8.8.8.8.',
    '8.8.8',
    '',
  ])('%s is not public', (address) => expect(isPublicAddress(address)).toBe(false))

  it.each([
    '1.1.1.1',
    '99.255.255.255',
    '100.128.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '64:ff9b::8.8.8.8',
    '2606:4700::5efe:8.8.8.8',
    // The groups 5efe are an IPv4 address in an IPv6 one only after 0000 or 0200.
    '2606:4700::1:5efe:a00:1',
    '2001:200::1',
    '2a00:1450:4001::1',
    '2003::1',
    '3ffe:ffff::1',
  ])('%s is public', (address) => expect(isPublicAddress(address)).toBe(true))

  it.each([
    '127.0.0.1',
    '10.0.0.1',
    '192.168.1.1',
    '172.16.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '::1',
    'fe80::1',
    'fd00::1',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '64:ff9b::7f00:1',
    'not an address',
  ])('%s is not public', (address) => expect(isPublicAddress(address)).toBe(false))

  it.each(['8.8.8.8', '2606:4700:4700::1111', '::ffff:8.8.8.8'])('%s is public', (address) =>
    expect(isPublicAddress(address)).toBe(true),
  )

  it.each([
    'http://example.org/',
    'ftp://example.org/',
    'file:///etc/passwd',
    'nothing',
    'https://localhost/',
    'https://127.0.0.1/',
    'https://[::1]/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://127.1/',
    'https://127.0.0.1./',
    'https://localhost./',
    'https://[::127.0.0.1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[fe80::1%25eth0]/',
    'https://nowhere.invalid/',
  ])('refuses %s without connecting', async (url) => {
    await expect(guarded(url, limits)).rejects.toThrow(expect.objectContaining({ name: 'FetchRefused' }))
  })

  it.each(['user:secret@', 'user@', ':secret@'])('refuses a URL with %s, also where it could connect', async (who) => {
    let asked = 0
    const url = await serve((_, answer) => answer.end(String(++asked)))
    await expect(onLoopback(url.replace('127', `${who}127`), limits)).rejects.toThrow(/with a password/)
    expect(asked).toBe(0)
  })

  it('fetches https alone unless told otherwise, and says so', async () => {
    await expect(guarded('http://example.org/', limits)).rejects.toThrow('only https: is fetched')
    await expect(guarded('https://nowhere.invalid/', limits)).rejects.toThrow('the host is unknown')
    await expect(guarded('https://[::1]/', limits)).rejects.toThrow('the host has no public address')
  })

  it('brings what is there', async () => {
    const url = await serve((request, answer) => answer.end(request.headers.accept))
    expect((await onLoopback(url, limits)).toString()).toBe('application/json')
  })

  it('refuses a host with one forbidden address, at any place among its addresses', async () => {
    let asked = 0
    const url = await serve((_, answer) => answer.end(String(++asked)))
    const good = { address: '127.0.0.1', family: 4 }
    const bad = { address: '127.0.0.2', family: 4 }
    for (const addresses of [[bad, good], [good, bad], [good, bad, good], []]) {
      const mixed = guardedFetcher({
        isAllowed: (address) => address === good.address,
        protocols: ['http:'],
        lookup: async () => addresses,
      })
      await expect(mixed(url.replace('127.0.0.1', 'mixed.example'), limits)).rejects.toThrow(/no public|unknown/)
    }
    expect(asked).toBe(0)
  })

  it('connects to the address that was checked, and asks for no other', async () => {
    const url = await serve((request, answer) => answer.end(request.socket.localAddress))
    const answers = [[{ address: '127.0.0.1', family: 4 }], [{ address: '127.0.0.2', family: 4 }]]
    const rebinding = guardedFetcher({
      isAllowed: (address) => address === '127.0.0.1',
      protocols: ['http:'],
      lookup: async () => answers.shift() ?? [],
    })
    // No other name server knows this name.
    const host = url.replace('127.0.0.1', 'rebinding.invalid')
    expect((await rebinding(host, limits)).toString()).toBe('127.0.0.1')
    expect(answers).toHaveLength(1)
    await expect(rebinding(host, limits)).rejects.toThrow(/no public address/)
  })

  it('names a host whose lookup fails as unknown', async () => {
    const failing = guardedFetcher({
      isAllowed: () => true,
      protocols: ['http:'],
      lookup: () => Promise.reject(new Error('SERVFAIL')),
    })
    await expect(failing('http://failing.example/', limits)).rejects.toThrow(/unknown/)
  })

  it('ends the lookup of a host when its time is over, and waits for that end', async () => {
    let [begun, ended] = [0, 0]
    const slow = guardedFetcher({
      isAllowed: () => true,
      protocols: ['http:'],
      lookup: (_, signal) => {
        begun++
        return new Promise((done) =>
          signal.addEventListener('abort', () => {
            ended++
            done([{ address: '127.0.0.1', family: 4 }])
          }),
        )
      },
    })
    await expect(slow('http://slow.example/', { ...limits, timeoutMs: 20 })).rejects.toThrow('it cannot be reached')
    expect([begun, ended]).toEqual([1, 1])
  })

  it('waits for no lookup when its time is over already', async () => {
    const lookup = () => new Promise<never>(() => undefined)
    const guard = { isAllowed: () => true, protocols: ['http:'], lookup }
    await expect(checked('http://slow.example/', guard, AbortSignal.abort())).rejects.toThrow('it cannot be reached')
  })

  it('follows a redirect, and checks where it leads', async () => {
    const goal = await serve((_, answer) => answer.end('there'))
    const leading = (location: string) => serve((_, answer) => answer.writeHead(302, { location }).end())
    expect((await onLoopback(await leading(goal), limits)).toString()).toBe('there')
    await expect(onLoopback(await leading('http://[::1]:1/'), limits)).rejects.toThrow(/public address/)
    const loop = await serve((_, answer) => answer.writeHead(302, { location: '/' }).end())
    await expect(onLoopback(loop, limits)).rejects.toThrow(/too many/)
  })

  it.each([300, 301, 307, 308, 399])(
    'takes %i for a redirect where it says whereto, and only there',
    async (status) => {
      const goal = await serve((_, answer) => answer.end('there'))
      const leading = await serve((_, answer) => answer.writeHead(status, { location: goal }).end())
      expect((await onLoopback(leading, limits)).toString()).toBe('there')
      const lost = await serve((_, answer) => answer.writeHead(status).end())
      await expect(onLoopback(lost, limits)).rejects.toThrow(`it answered ${status}`)
    },
  )

  it.each([200, 201, 299, 400, 404, 500])('goes nowhere after %i, whatever location it names', async (status) => {
    const url = await serve((_, answer) => answer.writeHead(status, { location: '/elsewhere' }).end('here'))
    if (status === 200) expect((await onLoopback(url, limits)).toString()).toBe('here')
    else await expect(onLoopback(url, limits)).rejects.toThrow(`it answered ${status}`)
  })

  it('follows three redirects and no fourth', async () => {
    const countdown = await serve((request, answer) => {
      const left = Number(request.url?.slice(1))
      if (left === 0) answer.end('there')
      else answer.writeHead(302, { location: `/${left - 1}` }).end()
    })
    expect((await onLoopback(`${countdown}3`, limits)).toString()).toBe('there')
    await expect(onLoopback(`${countdown}4`, limits)).rejects.toThrow(/too many/)
  })

  it('keeps no connection', async () => {
    const url = await serve((_, answer) => answer.end('there'))
    await onLoopback(url, limits)
    const count = () => new Promise((done) => servers.at(-1)?.getConnections((_, open) => done(open)))
    await expect.poll(count, { timeout: 2000 }).toBe(0)
  })

  it('stops at its limits: size, time, status', async () => {
    const full = await serve((_, answer) => answer.end('x'.repeat(1000)))
    expect(await onLoopback(full, limits)).toHaveLength(1000)
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
