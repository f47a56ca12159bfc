import { expect, test } from 'vitest'
import { ledgerUrls } from './ledger-urls'

test('several nodes are named in their order, each once; without them the one address, with its token as path', () => {
  expect(
    ledgerUrls({ LEDGER_URLS: ' ws://a:1, wss://b/rpc,ws://a:1,', LEDGER_URL: 'ws://c', LEDGER_TOKEN: 't' }),
  ).toEqual(['ws://a:1', 'wss://b/rpc'])
  for (const none of [undefined, '', ' , '])
    expect(ledgerUrls({ LEDGER_URLS: none, LEDGER_URL: 'ws://c', LEDGER_TOKEN: 't' })).toEqual(['ws://c/t'])
  expect(ledgerUrls({ LEDGER_URL: 'ws://c' })).toEqual(['ws://c'])
})

test('a value that is no address is refused by the name of its setting, without its value', () => {
  expect(() => ledgerUrls({})).toThrow('LEDGER_URL is not set')
  for (const url of ['http://secret', 'ws://', 'secret']) {
    expect(() => ledgerUrls({ LEDGER_URL: url })).toThrow(/^LEDGER_URL cannot have this value(?!.*secret)/)
    expect(() => ledgerUrls({ LEDGER_URLS: `ws://a,${url}` })).toThrow(
      /^LEDGER_URLS cannot have this value(?!.*secret)/,
    )
  }
})
