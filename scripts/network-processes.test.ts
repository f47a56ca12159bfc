import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { nodeProgramThat } from '../test/support/node-program.js'
import { root } from '../test/support/repository-files.js'
import { whileHalted } from './network/faults/nodes.js'
import { makeNetwork } from './network/make-network.js'
import { logFile, processFile, requireState } from './network/network-state.js'
import { runningProcess, startNode, stopNode } from './network/node-process.js'
import { launchNodes, networkStatus, startNodes, stopNetwork, withLock } from './network/run-network.js'
import { tableOf } from './network/status.js'
import { addValidator } from './network/validators.js'
import { birthOf, isAlive } from './start/state/lock.js'

/** The processes of nodes, whatever becomes of the command that started them. */
let folder: string
let stateDir: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'accredit-network-'))
  stateDir = join(folder, 'state')
})
afterEach(async () => {
  vi.restoreAllMocks()
  await stopNetwork(stateDir).catch(() => {})
  for (const made of [stateDir, folder]) await rm(made, { recursive: true, force: true })
})

const newNetwork = { validators: 4, feeAccounts: [] }
const programThat = (lines: string) => nodeProgramThat(folder, lines)

test('the next command ends a node that one which broke off left open to what is for its operator alone', async () => {
  const { made, nodes, program } = await twoNodes()
  const [open, closed] = nodes
  await launchNodes(program, stateDir, made, [open], { methods: 'unsafe' })
  await launchNodes(program, stateDir, made, [closed])
  const statuses = await networkStatus(stateDir)
  expect(statuses.map(({ isOpen }) => isOpen)).toEqual([true, false, false, false])
  expect(tableOf(statuses)).toMatch(/^validator-1 .* open to its operator \(--rpc-methods unsafe\)$/m)
  await withLock(stateDir, async () => {
    const running = await Promise.all(made.nodes.map((node) => runningProcess(stateDir, node)))
    expect(running).toEqual([undefined, expect.any(Number), undefined, undefined])
  })
  expect(await stopNetwork(stateDir)).toBe(1)
})

test('a node is found by those who stop the network however early the command ended that started it', async () => {
  const { made, nodes, program } = await twoNodes()
  const [open, killed] = nodes
  // Nothing was kept of either but what it wrote itself.
  await startNode(program, stateDir, made, open, { methods: 'unsafe' })
  await startNode(program, stateDir, made, killed)
  const pid = await runningProcess(stateDir, killed)
  expect((await networkStatus(stateDir)).map((status) => status.pid)).toEqual([
    expect.any(Number),
    pid,
    undefined,
    undefined,
  ])
  expect(await stopNetwork(stateDir)).toBe(2)
  expect(isAlive(pid ?? 0)).toBe(false)
})

test('a node that cannot write down its process has not begun, and no other one of the same start runs on', async () => {
  const { made, nodes, program } = await twoNodes()
  const [unwritten, other] = nodes
  await mkdir(`${processFile(stateDir, unwritten)}.new`)
  await expect(startNode(program, stateDir, made, unwritten)).rejects.toThrow(
    'validator-1 could not write down its process: see ',
  )
  expect(await readFile(logFile(stateDir, unwritten), 'utf8')).toMatch(/\.new/)
  // The first start fails at once, before the other node has come so far that it is found.
  await rm(logFile(stateDir, unwritten))
  await mkdir(logFile(stateDir, unwritten))
  await expect(startNodes(program, stateDir, made, nodes)).rejects.toThrow('EISDIR')
  expect(await readFile(processFile(stateDir, other), 'utf8')).toMatch(/^\d+ safe \d+\n$/)
  expect(await runningProcess(stateDir, other)).toBeUndefined()
})

test('a node that ends by itself before it is told to is one that has ended', async () => {
  const { made, nodes, program } = await twoNodes()
  await startNode(program, stateDir, made, nodes[0])
  const kill = process.kill.bind(process)
  const told = vi.spyOn(process, 'kill').mockImplementation((pid, signal) => {
    if (signal !== 'SIGTERM') return kill(pid, signal)
    kill(pid, 'SIGKILL')
    return kill(NO_PROCESS, signal)
  })
  await stopNode(stateDir, nodes[0])
  expect(told).toHaveBeenCalledWith(expect.any(Number), 'SIGTERM')
  expect(await runningProcess(stateDir, nodes[0])).toBeUndefined()
})

/** A number that no process has. */
const NO_PROCESS = 2 ** 30

test('another process that has the number of a node that ended is not taken for it', async () => {
  const { nodes } = await twoNodes()
  await writeFile(processFile(stateDir, nodes[0]), `${process.pid} safe 1\n`)
  expect(await runningProcess(stateDir, nodes[0])).toBeUndefined()
})

test('a validator is in the state before its node runs, and the node ends when it makes no session keys', async () => {
  const { made, nodes, program } = await twoNodes()
  await launchNodes(program, stateDir, made, [nodes[0]])
  const adding = addValidator({ stateDir, nodeProgram: await programThat(answeringNode(made.genesisHash)) })
  await expect(adding).rejects.toThrow(/^The node at .* cannot be reached, or is not there any more/)
  const [status] = (await networkStatus(stateDir)).slice(-1)
  expect(status).toMatchObject({ name: 'validator-5', pid: undefined })
  expect(await readFile(logFile(stateDir, { name: 'validator-5' }), 'utf8')).toBe('unsafe begins\nunsafe ends\n')
  expect(await stopNetwork(stateDir)).toBe(1)
})

test.each(['SIGINT', 'SIGKILL'] as const)(
  'nodes of a start that %s ended are found, and stopped',
  async (signal) => {
    const child = await networkCommand('start', '--state', stateDir)
    await vi.waitFor(async () => expect(await runningOf(stateDir)).toBe(4), { timeout: 60_000, interval: 100 })
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
    expect(await stopNetwork(stateDir)).toBe(4)
  },
  90_000,
)

test('a trial that a person interrupts ends its network, and removes what it made', async () => {
  const temporary = join(folder, 'temporary')
  await mkdir(temporary)
  const child = await networkCommand('test')
  const trial = async () => join(temporary, (await readdir(temporary))[0] ?? 'none')
  await vi.waitFor(async () => expect(await runningOf(await trial())).toBe(4), { timeout: 60_000, interval: 100 })
  const { nodes } = await requireState(await trial())
  const pids = await Promise.all(nodes.map(async (node) => runningProcess(await trial(), node)))
  const ended = once(child, 'exit')
  child.kill('SIGINT')
  expect(await ended).toEqual([1, null])
  expect(pids.filter((pid) => pid === undefined || isAlive(pid))).toEqual([])
  expect(await readdir(temporary)).toEqual([])
}, 90_000)

/** Lets no signal reach a process; from the first one on, each look whether it is there takes a second. */
function ignoreSignals() {
  const [kill, now] = [process.kill.bind(process), Date.now]
  let passedMs: number | undefined
  vi.spyOn(Date, 'now').mockImplementation(() => now() + (passedMs ?? 0))
  const killing = vi.spyOn(process, 'kill').mockImplementation((pid, signal) => {
    if (signal !== 0) passedMs ??= 0
    else if (passedMs !== undefined) passedMs += 1_000
    return signal !== 0 || kill(pid, signal)
  })
  const told = vi.spyOn(console, 'error').mockImplementation(() => {})
  return { told, signals: () => killing.mock.calls.map(([, signal]) => signal).filter((signal) => signal !== 0) }
}

test('a node that does not end though it was killed is told after 20 s, and nobody waits for it for ever', async () => {
  const { made, nodes, program } = await twoNodes()
  await startNode(program, stateDir, made, nodes[0])
  const pid = await runningProcess(stateDir, nodes[0])
  ignoreSignals()
  const begun = Date.now()
  await expect(stopNode(stateDir, nodes[0], 'SIGKILL')).rejects.toThrow(
    `validator-1 does not end: process ${pid} was killed, and is still there.`,
  )
  expect(Date.now() - begun).toBeGreaterThan(20_000)
  vi.restoreAllMocks()
  expect(await stopNetwork(stateDir)).toBe(1)
})

test('a node that does not end hides nothing of why a start failed, and is told beside it', async () => {
  const { made, nodes, program } = await twoNodes()
  await mkdir(logFile(stateDir, nodes[0]))
  const { told, signals } = ignoreSignals()
  await expect(startNodes(program, stateDir, made, nodes)).rejects.toThrow('EISDIR')
  expect(signals()).toEqual(['SIGTERM', 'SIGKILL'])
  expect(told.mock.calls).toEqual([[expect.stringMatching(/^validator-2 does not end: process \d+ was killed/)]])
})

test('a new validator that does not end hides nothing of why it made no session keys', async () => {
  const { made, nodes, program } = await twoNodes()
  await launchNodes(program, stateDir, made, [nodes[0]])
  const nodeProgram = await programThat(answeringNode(made.genesisHash))
  const { told } = ignoreSignals()
  await expect(addValidator({ stateDir, nodeProgram })).rejects.toThrow(/^The node at .* cannot be reached/)
  expect(told.mock.calls).toEqual([[expect.stringMatching(/^validator-5 does not end: process \d+ was killed/)]])
})

// An unsafe one was left open by a command that broke off.
test.each(['safe', 'unsafe'] as const)(
  'a %s node that cannot be stopped fails the stop of a network after all others have ended',
  async (methods) => {
    const { made, nodes } = await twoNodes()
    const program = await programThat("trap 'sleep 1; exit' TERM; while :; do sleep 0.1; done")
    await launchNodes(program, stateDir, made, nodes.slice(0, 1), { methods })
    await launchNodes(program, stateDir, made, nodes.slice(1))
    const first = await runningProcess(stateDir, nodes[0])
    const kill = process.kill.bind(process)
    vi.spyOn(process, 'kill').mockImplementation((pid, signal) => {
      if (pid === first && signal !== 0) throw Object.assign(new Error('another user has it'), { code: 'EPERM' })
      return kill(pid, signal)
    })
    await expect(stopNetwork(stateDir)).rejects.toThrow('another user has it')
    expect(await runningProcess(stateDir, nodes[1])).toBeUndefined()
    vi.restoreAllMocks()
    expect(await stopNetwork(stateDir)).toBe(1)
  },
)

test('a node that ended has ended also where nobody takes note of it', async () => {
  const { nodes } = await twoNodes()
  const heedless = spawn('/bin/sh', ['-c', 'sleep 600 & echo $!; exec sleep 600'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  try {
    const pid = Number((await once(heedless.stdout, 'data'))[0])
    await writeFile(processFile(stateDir, nodes[0]), `${pid} safe ${await birthOf(pid)}\n`)
    expect(await runningProcess(stateDir, nodes[0])).toBe(pid)
    await stopNode(stateDir, nodes[0])
    expect(isAlive(pid)).toBe(true)
    expect(await runningProcess(stateDir, nodes[0])).toBeUndefined()
  } finally {
    heedless.kill()
  }
})

test('a process that ends while it is halted hides nothing of what was seen meanwhile', async () => {
  const halted = spawn('sleep', ['600'])
  const ended = once(halted, 'exit')
  const seen = whileHalted(halted.pid ?? 0, 0, async () => {
    halted.kill('SIGKILL')
    await ended
    throw new Error('something does not hold')
  })
  await expect(seen).rejects.toThrow('something does not hold')
})

/** Runs a command on nodes that never make a block; its temporary files are in a folder of this test's. */
async function networkCommand(...argv: string[]): Promise<ChildProcess> {
  const program = await programThat('exec sleep 600')
  const env = { ...process.env, ACCREDIT_NODE: program, TMPDIR: join(folder, 'temporary') }
  return spawn(process.execPath, [join(root, 'scripts/network.mjs'), ...argv], { env, cwd: root, stdio: 'ignore' })
}

const runningOf = async (place: string): Promise<number> =>
  (await networkStatus(place).catch(() => [])).filter(({ pid }) => pid !== undefined).length

/** Makes a network of four, and a program whose nodes never answer. */
async function twoNodes() {
  const made = await makeNetwork(stateDir, newNetwork)
  const [first, second] = made.nodes
  if (!first || !second) throw new Error('no node was made')
  return { made, nodes: [first, second] as const, program: await programThat('exec sleep 600') }
}

/** The program of a node that has a final block of now and its genesis, and speaks HTTP alone: it makes no session keys. */
function answeringNode(genesisHash: string): string {
  const program = `
    const [port, methods] = ['--rpc-port', '--rpc-methods'].map((name) => process.argv[process.argv.indexOf(name) + 1])
    const now = Buffer.alloc(8)
    const told = {
      chain_getFinalizedHead: () => '0x01',
      chain_getBlockHash: () => '${genesisHash}',
      state_getStorage: () => (now.writeBigUInt64LE(BigInt(Date.now())), '0x' + now.toString('hex')),
    }
    require('node:http').createServer(async (request, response) => {
      if (request.method !== 'POST') return response.writeHead(404).end()
      let body = ''
      for await (const piece of request) body += piece
      response.end(JSON.stringify({ result: told[JSON.parse(body).method]() }))
    }).listen(port, '127.0.0.1')
    console.log(methods + ' begins')
    process.once('SIGTERM', () => { console.log(methods + ' ends'); process.exit() })`
  return `exec '${process.execPath}' -e "${program.replaceAll('$', '\\$')}" -- "$@"`
}
