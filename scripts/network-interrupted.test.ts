import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { nodeProgramThat } from '../test/support/node-program.js'
import { root } from '../test/support/repository-files.js'
import { logFile } from './network/network-state.js'
import { stopNetwork } from './network/run-network.js'
import { freePort } from './start/processes/ports.js'

/** A trial that a person interrupts, at each kind of waiting: it takes back what it began, and says that it was. */
let folder: string
let temporary: string
const begun: ChildProcess[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'accredit-interrupted-'))
  temporary = join(folder, 'temporary')
  await mkdir(temporary)
})
afterEach(async () => {
  for (const child of begun.splice(0)) child.kill('SIGKILL')
  for (const name of await readdir(temporary)) await stopNetwork(join(temporary, name)).catch(() => {})
  await rm(folder, { recursive: true })
})

const WAITING = { timeout: 60_000, interval: 100 }
/** A waiting that is not interrupted takes a minute or more. */
const ENDS_WITHIN_MS = 30_000
const INTERRUPTED = 'Interrupted: the trial ends its network, and removes what it made.\nThe trial was interrupted.\n'

function run(argv: string[], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, argv, { cwd: root, env: { ...process.env, ...env, TMPDIR: temporary } })
  begun.push(child)
  const said = { err: '' }
  child.stdout.resume()
  child.stderr.on('data', (text) => (said.err += text))
  return { child, said }
}

/** Runs the modules of a trial as the command does, until a person interrupts what it waits for. */
const runTrial = (imports: readonly string[], work: string) =>
  run([
    ...['--input-type=module', '--eval'],
    `${imports.map((line) => line.replace('@', './scripts/dist/')).join('\n')}
    import { endWith } from './scripts/dist/start/command.js'
    import { endOnSignals } from './scripts/dist/network/interruption.js'
    endOnSignals((line) => console.error(line))
    await endWith(async () => { ${work} })`,
  ])

async function interrupt({ child, said }: ReturnType<typeof run>): Promise<void> {
  const ended = once(child, 'close')
  const asked = Date.now()
  child.kill('SIGINT')
  expect(await ended).toEqual([1, null])
  expect(said.err).toBe(INTERRUPTED)
  expect(Date.now() - asked).toBeLessThan(ENDS_WITHIN_MS)
}

test.each([
  ['the work meanwhile is waited for', `until('it is never so', async () => false, 60_000)`],
  ['the time is waited for', 'Promise.resolve()'],
])(
  'a fault that is interrupted lets the process that it halted go on, while %s',
  async (_, work) => {
    const halted = spawn('sleep', ['600'])
    begun.push(halted)
    const trial = runTrial(
      [`import { whileHalted } from '@network/faults/nodes.js'`, `import { until } from '@network/faults/waiting.js'`],
      `await whileHalted(${halted.pid}, 60_000, () => ${work})`,
    )
    await vi.waitFor(async () => expect(await stateOf(halted)).toBe('T'), WAITING)
    await interrupt(trial)
    expect(await stateOf(halted)).toBe('S')
  },
  90_000,
)

/** The letter by which the system tells what a process does. */
const stateOf = async ({ pid }: ChildProcess): Promise<string | undefined> =>
  /^State:\s+(\w)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]

/** Lets a process that hears a SIGINT send itself other signals: two SIGINT that are sent at once come as one. */
const followedBy = (...signals: string[]): string[] => [
  '--import',
  `data:text/javascript,process.once('SIGINT', () => '${signals}'.split(',').map((name) => process.kill(process.pid, name)))`,
]

test.each([
  ['nothing follows', []],
  ['SIGINT and SIGTERM follow', followedBy('SIGINT', 'SIGTERM')],
])(
  'a trial that a person interrupts while it measures a network removes what it made, where %s at once',
  async (_, following) => {
    const trial = run([...following, join(root, 'scripts/network.mjs'), 'test'], {
      ACCREDIT_NODE: await nodeProgramThat(folder, STANDING_NODE),
    })
    const asked = async () => {
      const [name = 'none'] = await readdir(temporary)
      return readFile(logFile(join(temporary, name), { name: 'validator-1' }), 'utf8').catch(() => '')
    }
    await vi.waitFor(async () => expect(await asked()).toContain('chain_getHeader'), WAITING)
    await interrupt(trial)
    expect(await readdir(temporary)).toEqual([])
  },
  90_000,
)

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)(
  'a trial that takes long to end is ended at once by a later %s',
  async (signal, code) => {
    const trial = runTrial([], `setInterval(() => {}, 1_000); console.error('begun'); await new Promise(() => {})`)
    await once(trial.child.stderr, 'data')
    const ended = once(trial.child, 'close')
    trial.child.kill('SIGINT')
    await once(trial.child.stderr, 'data')
    const told = Date.now()
    const isEnded = () => {
      trial.child.kill(signal)
      expect(trial.child.exitCode).toBe(code)
    }
    await vi.waitFor(isEnded, WAITING)
    expect(await ended).toEqual([code, null])
    expect(Date.now() - told).toBeGreaterThan(500)
  },
  90_000,
)

/** The program of a node whose newest block is of now and final, and always the first one. Its log has what it is asked. */
const STANDING_NODE = `exec '${process.execPath}' -e '
  const { argv } = process
  const valueOf = (name) => argv[argv.indexOf(name) + 1]
  const { readFileSync, mkdirSync } = require("node:fs")
  mkdirSync(valueOf("--base-path"), { recursive: true })
  const { genesisHash } = JSON.parse(readFileSync(valueOf("--chain").replace("specification", "network"), "utf8"))
  const now = Buffer.alloc(8)
  const told = {
    chain_getFinalizedHead: () => "0x01",
    chain_getBlockHash: () => genesisHash,
    chain_getHeader: () => ({ number: "0x1", parentHash: genesisHash, stateRoot: "0x01" }),
    state_getStorage: () => (now.writeBigUInt64LE(BigInt(Date.now())), "0x" + now.toString("hex")),
  }
  require("node:http").createServer(async (request, response) => {
    let body = ""
    for await (const piece of request) body += piece
    const { method } = JSON.parse(body)
    console.log(method)
    response.end(JSON.stringify({ result: told[method]() }))
  }).listen(valueOf("--rpc-port"), "127.0.0.1")' -- "$@"`

test('a start of the product that is interrupted ends its processes', async () => {
  const product = join(temporary, 'product')
  const trial = runTrial(
    [`import { Product } from '@network/faults/product.js'`],
    `await Product.start('${product}', [{ ports: { rpc: ${await freePort()} } }])`,
  )
  const log = () => readFile(join(product, 'accredit.log'), 'utf8').catch(() => '')
  await vi.waitFor(async () => expect(await log()).toContain('"name":"signer"'), WAITING)
  expect(await processesThatName(product)).not.toEqual([])
  await interrupt(trial)
  expect(await processesThatName(product)).toEqual([])
}, 120_000)

/** Returns the processes whose command or environment has a path. */
async function processesThatName(path: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const told = (pid: string, file: string) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')
  const texts = await Promise.all(pids.map(async (pid) => (await told(pid, 'cmdline')) + (await told(pid, 'environ'))))
  return pids.filter((_, at) => texts[at]?.includes(path))
}
