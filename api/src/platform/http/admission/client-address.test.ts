import fc from 'fast-check'
import { expect, test } from 'vitest'
import { clientNetwork } from './client-address.js'

test('an IPv4 address counts alone, in every form that it has', () => {
  expect(clientNetwork('203.0.113.7')).toBe('203.0.113.7')
  expect(clientNetwork('203.0.113.8')).toBe('203.0.113.8')
  for (const form of ['::ffff:203.0.113.7', '::FFFF:203.0.113.7', '::ffff:cb00:7107', '0:0:0:0:0:ffff:cb00:7107'])
    expect(clientNetwork(form)).toBe('203.0.113.7')
})

test('IPv6 addresses count as one exactly when they share their first 64 bits', () => {
  const group = fc.integer({ min: 0, max: 0xffff })
  // An IPv6 address outside the range of mapped IPv4 addresses.
  const network = fc.tuple(fc.integer({ min: 0x2000, max: 0x3fff }), group, group, group)
  const host = fc.tuple(group, group, group, group)
  const text = (...groups: number[]) => groups.map((one) => one.toString(16)).join(':')
  fc.assert(
    fc.property(network, host, host, fc.nat(63), (network, one, another, bit) => {
      const name = clientNetwork(text(...network, ...one))
      expect(clientNetwork(text(...network, ...another).toUpperCase())).toBe(name)
      const neighbour = network.map((part, i) => (i === bit >> 4 ? part ^ (1 << (bit & 15)) : part))
      expect(clientNetwork(text(...neighbour, ...one))).not.toBe(name)
    }),
    { numRuns: 100 },
  )
  expect(clientNetwork('2001:db8:0:1::9')).toBe('2001:db8:0:1::/64')
  expect(clientNetwork('fe80::1%eth0')).toBe('fe80::/64')
})

test('all texts that are no address share one name', () => {
  for (const text of ['', 'unknown', '_hidden', '203.0.113.256', '1.2.3.4:80', '[::1]', 'x'.repeat(1000)])
    expect(new Set([clientNetwork(text), clientNetwork('nonsense')]).size).toBe(1)
})
