import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { nodeProgramThat } from '../test/support/node-program.js'
import { root } from '../test/support/repository-files.js'
import { summaryOf } from './network/faults/summary.js'
import { madeText, makeForHosts } from './network/make-for-hosts.js'
import { makeNetwork } from './network/make-network.js'
import { keystoreFolder, processFile, readState, specificationFile, stateFile } from './network/network-state.js'
import { requireNodeProgram } from './network/node-process.js'
import { parseNetworkOptions } from './network/options.js'
import { addNode, networkStatus, startNetwork, stopNetwork } from './network/run-network.js'
import { tableOf } from './network/status.js'
import { tryNetwork } from './network/try-network.js'
import { lock } from './start/state/lock.js'

let folder: string
let stateDir: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'accredit-network-'))
  stateDir = join(folder, 'state')
})
afterEach(() => rm(folder, { recursive: true }))

const programThat = (lines: string) => nodeProgramThat(folder, lines)

const newNetwork = { validators: 4, feeAccounts: [] }
const options = (nodeProgram: string | undefined) => ({ stateDir, nodeProgram, ...newNetwork })

test('a network has a specification, the keys of each validator, and a name by which others know it', async () => {
  const made = await makeNetwork(stateDir, newNetwork)
  expect(await readState(stateDir)).toEqual(made)
  expect(made.nodes.map(({ name }) => name)).toEqual(['validator-1', 'validator-2', 'validator-3', 'validator-4'])
  for (const node of made.nodes) {
    expect(node.peerId).toMatch(/^12D3KooW\w{44}$/)
    const keys = await readdir(keystoreFolder(stateDir, node))
    // The letters `aura` and `gran`, and the public key.
    expect(keys.sort()).toEqual([
      expect.stringMatching(/^61757261[0-9a-f]{64}$/),
      expect.stringMatching(/^6772616e[0-9a-f]{64}$/),
    ])
  }
  const ports = made.nodes.flatMap((node) => Object.values(node.ports))
  expect(new Set(ports).size).toBe(12)
  const { genesis } = JSON.parse(await readFile(specificationFile(stateDir), 'utf8'))
  expect(genesis.raw.top['0x3a636f6465']).toMatch(/^0x52bc53764/)
})

test('a network for other machines names each of them in its specification, and starts nothing', async () => {
  const hosts = ['one.example', '192.0.2.7', '2001:db8::7']
  const { state, isNew } = await makeForHosts({ stateDir, validators: 3, feeAccounts: [], hosts })
  expect(isNew).toBe(true)
  expect(await readState(stateDir)).toEqual(state)
  const { bootNodes } = JSON.parse(await readFile(specificationFile(stateDir), 'utf8'))
  const [one, two, three] = state.nodes.map(({ peerId }) => peerId)
  expect(bootNodes).toEqual([
    `/dns4/one.example/tcp/30333/p2p/${one}`,
    `/ip4/192.0.2.7/tcp/30333/p2p/${two}`,
    `/ip6/2001:db8::7/tcp/30333/p2p/${three}`,
  ])
  for (const { ports } of state.nodes) expect(ports).toEqual({ peers: 30_333, rpc: 9944, metrics: 9615 })
  for (const node of state.nodes) expect(existsSync(processFile(stateDir, node))).toBe(false)
  const text = madeText({ state, isNew }, stateDir)
  for (const address of bootNodes) expect(text).toContain(address)
})

test('the README of the council starts a validator that joins as `make` prints it, but open to its operator', async () => {
  const line = (text: string) => /accredit-node --chain .*/.exec(text.replaceAll(/\s*\\\n\s*/g, ' '))?.[0]
  const made = await makeForHosts({ stateDir, validators: 1, feeAccounts: [], hosts: ['one.example'] })
  const printed = line(madeText(made, stateDir))
  expect(printed).toContain('--rpc-methods safe ')
  const readme = await readFile(join(root, 'scripts/council/README.md'), 'utf8')
  expect(line(readme)).toBe(printed?.replace('--rpc-methods safe ', '--rpc-methods unsafe '))
})

test('a folder that holds a network is left as it is, and told', async () => {
  const wanted = { stateDir, validators: 1, feeAccounts: [], hosts: ['one.example'] }
  const first = await makeForHosts(wanted)
  const files = async () => (await readdir(stateDir, { recursive: true })).sort()
  const before = await files()
  const again = await makeForHosts({ ...wanted, validators: 2, hosts: ['two.example', 'three.example'] })
  expect(again).toEqual({ state: first.state, isNew: false })
  expect(await files()).toEqual(before)
  expect(madeText(again, stateDir)).toMatch(/is in .* already, and was left as it is/)
})

test('commands for nodes of this machine refuse a network of others', async () => {
  await makeForHosts({ stateDir, validators: 1, feeAccounts: [], hosts: ['one.example'] })
  const program = await programThat('exec sleep 600')
  for (const command of [
    () => startNetwork(options(program)),
    () => networkStatus(stateDir),
    () => stopNetwork(stateDir),
  ])
    await expect(command()).rejects.toThrow(
      /^The nodes of the network in .* run elsewhere: one\.example\. .*npm run council\.$/,
    )
})

test('an account that is no SS58 address is refused, and nothing is left that looks like a network', async () => {
  await expect(makeNetwork(stateDir, { validators: 1, feeAccounts: ['nobody'] })).rejects.toThrow(/^No genesis/)
  expect(await readState(stateDir)).toBeUndefined()
})

test.each([
  ['none is named', undefined, /^No node program is named/],
  ['there is no such file', '/nowhere/node', /^\/nowhere\/node is missing, or may not be executed/],
  ['it is another program', '/bin/true', /^\/bin\/true is not the node of Accredit/],
])('a program is refused where %s', async (_, program, sentence) => {
  await expect(requireNodeProgram(program)).rejects.toThrow(sentence)
  await expect(startNetwork(options(program))).rejects.toThrow(sentence)
})

test('a node that ends at once is told with its last words, and the others are stopped', async () => {
  const program = await programThat(
    'if [ "$(echo "$@" | grep -c validator-1)" = 1 ]; then sleep 1; echo "no disk"; exit 1; fi\nexec sleep 600',
  )
  await expect(startNetwork(options(program))).rejects.toThrow(/has ended\. Its last words:\nno disk/)
  expect((await networkStatus(stateDir)).map(({ pid }) => pid)).toEqual([undefined, undefined, undefined, undefined])
})

test.each([
  ['is no JSON', 'nothing', /is no JSON/],
  [
    'has a genesis that is not raw',
    JSON.stringify({ name: 'a', id: 'a', genesis: { runtime: {} } }),
    /has no raw genesis/,
  ],
  ['has no runtime', JSON.stringify({ name: 'a', id: 'a', genesis: { raw: { top: {} } } }), /has no runtime/],
])('a specification that %s is refused in a sentence', async (_, text, sentence) => {
  await makeNetwork(stateDir, { validators: 1, feeAccounts: [] })
  await writeFile(specificationFile(stateDir), text)
  await expect(readState(stateDir)).rejects.toThrow(sentence)
})

test('a missing specification and a damaged state are refused in a sentence', async () => {
  await makeNetwork(stateDir, { validators: 1, feeAccounts: [] })
  await rm(specificationFile(stateDir))
  await expect(readState(stateDir)).rejects.toThrow(/is missing/)
  await writeFile(stateFile(stateDir), '{"nodes": 3}')
  await expect(readState(stateDir)).rejects.toThrow(/is damaged/)
})

test('status, stop and add say that there is no network, and make no folder', async () => {
  const commands = [() => networkStatus(stateDir), () => stopNetwork(stateDir), () => addNode(options('/bin/true'))]
  for (const command of commands)
    await expect(command()).rejects.toThrow(/^No network is in .*: npm run network -- start makes one\.$/)
  expect(await readdir(folder)).toEqual([])
})

test('a folder that another command works on, or that holds an installation, is refused', async () => {
  const program = await programThat('exec sleep 600')
  await mkdir(stateDir)
  await writeFile(join(stateDir, 'settings.json'), '{}')
  await expect(startNetwork(options(program))).rejects.toThrow(/holds an installation of npm start, not a network/)
  await rm(stateDir, { recursive: true })
  const unlock = await lock(stateDir)
  await writeFile(join(stateDir, 'supervisor.lock'), await otherHolder())
  await expect(startNetwork(options(program))).rejects.toThrow(/already runs here/)
  await unlock()
})

/** Returns a lock's words for a process that lives as long as this one: the one that started it. */
async function otherHolder(): Promise<string> {
  const stat = await readFile(`/proc/${process.ppid}/stat`, 'utf8')
  return `${process.ppid} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]} other\n`
}

test('a node that does not run, or does not answer, stands in the table as such', async () => {
  await makeNetwork(stateDir, { validators: 1, feeAccounts: [] })
  const [status] = await networkStatus(stateDir)
  if (!status) throw new Error('no status')
  const [, row] = tableOf([status]).split('\n')
  expect(row).toMatch(/^validator-1 +does not run +ws:\/\/127\.0\.0\.1:\d+$/)
  expect(tableOf([{ ...status, pid: 7 }])).toMatch(/validator-1 +7 +no answer/)
})

test.each([
  [['fly'], /^network takes one of make, start, status/],
  [['make'], /^network make needs --host once for each validator, 1 to 32 times, not 0/],
  [['make', 'one.example'], /^network takes one of make/],
  [['make', ...Array.from({ length: 33 }, (_, n) => `--host=h${n}`)], /1 to 32 times, not 33/],
  [['make', '--host', 'a b'], /^--host is the name or the address of a machine, not 'a b'/],
  [['make', '--host', ''], /^--host is the name or the address of a machine, not ''/],
  [['make', '--host=-a.example'], /^--host is the name or the address/],
  [['make', '--host', 'one.example:30333'], /^--host is the name or the address/],
  [['make', '--host', '192.0.2.256'], /^--host is the name or the address/],
  [['make', '--host', 'fe80::1%eth0'], /^--host is the name or the address/],
  [['make', '--host', 'a/tcp/1'], /^--host is the name or the address/],
  [['make', '--host', `${'a'.repeat(64)}.example`], /^--host is the name or the address/],
  [['make', '--host', 'a.example', '--host', 'A.example'], /^--host names another machine .* a\.example stands twice/],
  [['make', '--host', 'a.example', '--validators', '1'], /^make takes no --validators/],
  [['start', '--host', 'a.example'], /^--host belongs to make, not to start/],
  [['start', 'stop'], /^network takes one of/],
  [['start', '--validators', 'four'], /^--validators is a number from 1 to 32, not 'four'/],
  [['start', '--validators', '33'], /^--validators is a number from 1 to 32, not '33'/],
  [['start', '--acceptance', 'accept.mjs'], /^--acceptance belongs to test, not to start/],
  [['test', '--acceptance', 'nowhere.mjs'], /^--acceptance names a program that is there, not 'nowhere\.mjs'/],
  [['start', '--fault', 'halves'], /^--fault belongs to test, not to start/],
  [['start', '--allow-not-run'], /^--allow-not-run belongs to test, not to start/],
  [['start', '--port', '1'], /^Unknown option '--port'/],
])('arguments %j are refused', (argv, sentence) => {
  expect(() => parseNetworkOptions(argv, '/here', {})).toThrow(sentence)
})

test('make has a validator for each host', () => {
  const argv = [
    'make',
    '--host',
    'Validator-1',
    '--host',
    '127.0.0.1',
    '--host',
    'xn--bcher-kva.example',
    '--fee-account',
    '5F',
  ]
  const { hosts, validators, feeAccounts } = parseNetworkOptions(argv, '/here', {})
  expect([hosts, validators, feeAccounts]).toEqual([['validator-1', '127.0.0.1', 'xn--bcher-kva.example'], 3, ['5F']])
})

test('a trial of a fault that there is not is refused before anything is made', async () => {
  const argv = ['test', '--fault', 'halves', '--fault', 'flood']
  const trial = tryNetwork(parseNetworkOptions(argv, '/here', {}), () => {})
  await expect(trial).rejects.toThrow(/^--fault takes one-killed, .*, not 'flood'\.$/)
})

test('a trial that left out a fault says so, and fails unless that is allowed', () => {
  const passed = { name: 'halves', hasRun: true, told: '' }
  const leftOut = { name: 'clock-off', hasRun: false, told: '' }
  expect(summaryOf([passed, passed], false)).toBe('2 of 2 faults passed.')
  expect(() => summaryOf([passed, leftOut], false)).toThrow(/^1 of 2 faults passed, not run: clock-off\./)
  const { mayLeaveOut } = parseNetworkOptions(['test', '--allow-not-run'], '/here', {})
  expect(summaryOf([passed, leftOut], mayLeaveOut)).toBe('1 of 2 faults passed, not run: clock-off.')
})

test('the program is the one of the command line, else the one of ACCREDIT_NODE', () => {
  const env = { ACCREDIT_NODE: '/usr/bin/node-a' }
  expect(parseNetworkOptions(['start'], '/here', env).nodeProgram).toBe('/usr/bin/node-a')
  expect(parseNetworkOptions(['start', '--node', 'b'], '/here', env).nodeProgram).toBe('/here/b')
  expect(parseNetworkOptions(['start'], '/here', {}).nodeProgram).toBeUndefined()
})
