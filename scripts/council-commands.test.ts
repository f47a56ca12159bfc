import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { listening } from '../signer/test/listening.js'
import { run } from './council/main.js'
import { parseCouncilOptions } from './council/options.js'
import { makeForHosts } from './network/make-for-hosts.js'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'accredit-council-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** Runs a command as the command line has it. */
const council = (...argv: string[]) => run(parseCouncilOptions(argv, {}), () => {})

test('a key is made once, for its owner alone', async () => {
  const file = join(folder, 'own.key')
  const [address = ''] = (await council('account', '--key', file)).split('\n')
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  const before = await readFile(file, 'utf8')
  expect(await council('account', '--key', file)).toBe(
    `${address}\n${file} holds its seed already, and was left as it is.`,
  )
  expect(await readFile(file, 'utf8')).toBe(before)
})

test('of several who make a key at once one does, and the others leave it', async () => {
  const file = join(folder, 'shared.key')
  const answers = await Promise.all(Array.from({ length: 8 }, () => council('account', '--key', file)))
  expect(new Set(answers.map((answer) => answer.split('\n')[0])).size).toBe(1)
  expect(answers.filter((answer) => answer.endsWith('holds its seed.'))).toHaveLength(1)
})

test('a key is there whole or not at all, also for who makes it at the same moment in another process', async () => {
  for (let round = 0; round < 100; round += 1) {
    const file = join(folder, `seen-${round}.key`)
    const made = council('account', '--key', file)
    let seen: string | undefined
    while (seen === undefined) seen = await readFile(file, 'utf8').catch(() => undefined)
    expect(seen).toMatch(/^0x[0-9a-f]{64}\n$/)
    await made
  }
})

test('no key is written over where a network is made in a folder that lost its state', async () => {
  const stateDir = join(folder, 'network')
  const make = () => makeForHosts({ stateDir, validators: 1, feeAccounts: [], hosts: ['one.example'] })
  await make()
  const keys = join(stateDir, 'keys')
  const seeds = async () => Promise.all((await readdir(keys)).sort().map((name) => readFile(join(keys, name), 'utf8')))
  const before = await seeds()
  await rm(join(stateDir, 'network.json'))
  await expect(make()).rejects.toThrow(/^The key .*council-1\.key is there already, and none is written over/)
  expect(await seeds()).toEqual(before)
})

test('a key is not made where it cannot be kept', async () => {
  await expect(council('account', '--key', join(folder, 'nowhere', 'own.key'))).rejects.toThrow(
    /own\.key cannot be kept: ENOENT/,
  )
})

test.each([
  ['others may read', '0x11', 0o644, /can be read by others on this machine/],
  ['holds no seed', '0x11', 0o600, /holds no seed of a key/],
])('a key that %s is refused', async (_, text, mode, sentence) => {
  const file = join(folder, 'bad.key')
  await writeFile(file, text)
  await chmod(file, mode)
  await expect(council('vote', '0', '--url', 'ws://127.0.0.1:1', '--key', file)).rejects.toThrow(sentence)
})

test('a node that cannot be reached is told, and the command ends', async () => {
  await expect(council('status', '--url', 'ws://127.0.0.1:1/secret')).rejects.toThrow(
    /^The node at ws:\/\/127\.0\.0\.1:1 cannot be reached/,
  )
})

test('a service that is no ledger is told, and the command ends', async () => {
  const sockets = new WebSocketServer({ noServer: true })
  const server = createServer().on('upgrade', (request, socket, head) =>
    sockets.handleUpgrade(request, socket, head, (client) =>
      client.on('message', (bytes) => {
        const { id } = JSON.parse(String(bytes))
        client.send(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } }))
      }),
    ),
  )
  const { url, close } = await listening(server, sockets)
  await expect(council('status', '--url', url)).rejects.toThrow(/does not answer as a ledger does/)
  await close()
})

test.each([
  [['fly'], /^council takes one of account, status, propose/],
  [['status'], /^--url is missing/],
  [['status', '--url', 'http://a'], /^--url is an address that begins with ws/],
  [['status', '--url', 'ws://a', '--key', 'a'], /^--key does not belong to status/],
  [['vote', '--url', 'ws://a', '--key', 'a'], /^council vote takes the number of a motion after it/],
  [['vote', '1', '2', '--url', 'ws://a', '--key', 'a'], /^council vote takes the number of a motion after it/],
  [['vote', '-1', '--url', 'ws://a', '--key', 'a'], /^Unknown option '-1'/],
  [['vote', '01', '--url', 'ws://a', '--key', 'a'], /^A motion has a number, which status tells, not '01'/],
  [['vote', '1', '--url', 'ws://a'], /^--key is missing/],
  [['propose', 'fund', '--url', 'ws://a', '--key', 'a'], /^council propose takes one of .* and an account or a file/],
  [
    ['propose', 'war', 'x', '--url', 'ws://a', '--key', 'a'],
    /^council propose takes one of add-validator, .*, not 'war'/,
  ],
  [['propose', 'fund', 'x', '--amount', '0', '--url', 'ws://a', '--key', 'a'], /^--amount is a whole number above 0/],
  [
    ['propose', 'add-member', 'x', '--amount', '1', '--url', 'ws://a', '--key', 'a'],
    /^--amount belongs to propose fund/,
  ],
  [
    ['propose', 'remove-validator', 'x', '--keystore-has', 'y', '--url', 'ws://a', '--key', 'a'],
    /^--keystore-has belongs to propose add-validator, not to propose remove-validator/,
  ],
  [['session-keys', '--keys', '0x11', '--url', 'ws://a', '--key', 'a'], /^--proof is what the node told/],
  [
    ['session-keys', '--keys', '11', '--proof', '0x11', '--url', 'ws://a', '--key', 'a'],
    /^--keys is what the node told/,
  ],
])('arguments %j are refused', (argv, sentence) => {
  expect(() => parseCouncilOptions(argv, {})).toThrow(sentence)
})

test('the node is the one of the command line, else the one of COUNCIL_URL', () => {
  const env = { COUNCIL_URL: 'ws://node:9944' }
  expect(parseCouncilOptions(['status'], env)).toMatchObject({ url: 'ws://node:9944' })
  expect(parseCouncilOptions(['status', '--url', 'wss://b'], env)).toMatchObject({ url: 'wss://b' })
})
