import { describe, expect, test } from 'vitest'
import { readConfig } from './config.js'

const least = { DATABASE_URL: 'postgres://x', MASTER_KEY_FILE: 'key', LEDGER_URL: 'ws://x', SIGNER_SOCKET: 'socket' }

describe('a setting at its limit is taken, past it refused by name', () => {
  test.each<[string, string[], string[]]>([
    ['SIGNER_HOLD_MS', ['1000', '1001', '9999999'], ['999', '10000000', '1500.5', 'soon']],
    ['SIGNER_TOKEN', ['x'.repeat(32), 'x'.repeat(33)], ['x'.repeat(31)]],
    ['SIGNER_SIGN_PER_MINUTE', ['1', '2'], ['0', '-1', '1.5']],
    ['FEE_ACCOUNT_MIN', ['0', '1', `1${'0'.repeat(30)}`], ['-1', '1e3']],
    ['SIGNER_CAPABILITIES', ['keys', 'keys,sign,act,export'], ['all', 'keys,']],
    ['LEDGER_URL', ['wss://ledger'], ['http://ledger']],
    ['LEDGER_URLS', ['ws://a,wss://b', 'ws://a'], ['ws://a,http://b', 'ws://']],
    ['LEDGER_FINALITY', ['instant', 'grandpa'], ['soon']],
    ['CLOCK_OFFSET_FILE', [], ['file']],
  ])('%s', (name, taken, refused) => {
    for (const value of taken) readConfig({ ...least, [name]: value })
    for (const value of refused) expect(() => readConfig({ ...least, [name]: value })).toThrow(name)
  })

  test('without settings they have values of their own', () => {
    expect(readConfig(least)).toMatchObject({ holdMs: 15_000, finality: 'instant', feeAccountMinimum: 10n ** 12n })
    expect(readConfig({ ...least, CLOCK_OFFSET_FILE: 'file', ACCREDIT_TEST: '1' }).clockOffsetFile).toBe('file')
  })

  test('on TCP it listens only with a token', () => {
    const door = { SIGNER_SOCKET: '', SIGNER_PORT: '0' }
    expect(() => readConfig({ ...least, ...door })).toThrow('only with a SIGNER_TOKEN')
    expect(readConfig({ ...least, ...door, SIGNER_TOKEN: 'x'.repeat(32) }).door).toMatchObject({ port: 0 })
  })

  test.each(Object.keys(least))('without %s there is no signer', (name) => {
    expect(() => readConfig({ ...least, [name]: '' })).toThrow(name)
  })
})
