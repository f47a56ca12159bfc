import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { accountOf } from '@accredit/embedded-ledger/network'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { finalState, withLedger } from '../scripts/council/ledger-client.js'
import { balanceOf } from '../scripts/council/proposals.js'
import { nodeRpc } from '../scripts/network/node-rpc.js'
import { freePort } from '../scripts/start/processes/ports.js'
import { commandOf, environmentOf } from './support/compose.js'
import { type Production, startProduction } from './support/production.js'
import { CADDY, REDIS } from './support/programs.js'
import { root } from './support/repository-files.js'
import { settingsIn } from './support/settings-file.js'

/** The program is built in half an hour, and `npm test` never builds it: scripts/build-node does. */
const nodeProgram = process.env.ACCREDIT_NODE || undefined
const VALIDATORS = ['validator-1', 'validator-2', 'validator-3', 'validator-4']
const NODES = [...VALIDATORS, 'node']

const FINAL_SOON = { timeout: 60_000, interval: 500 }

/** The name of a container is another address of loopback while keys are made. */
const addressOf = (name: string) => `127.0.0.${2 + NODES.indexOf(name)}`

describe.runIf(nodeProgram && REDIS && CADDY)('the network of docker-compose.yml, its services as processes', () => {
  let folder: string
  let production: Production
  const rpcPorts = new Map<string, number>()
  const peerPorts = new Map<string, number>()
  const running = new Map<string, ChildProcess>()
  const rpcOf = (name: string) => nodeRpc({ ports: { peers: 30_333, rpc: rpcPorts.get(name) ?? 0, metrics: 0 } })

  /** Runs the command of `network-keys`, and returns its words. */
  async function makeKeys(feeFolder: string): Promise<string> {
    const [program = '', ...argv] = commandOf('network-keys')
    const moved = argv.map((word) =>
      VALIDATORS.includes(word) ? addressOf(word) : word === '/network' ? folder : word,
    )
    const env = environmentOf('network-keys', { given: {}, places: [['/data/ledger', feeFolder]] })
    expect(program).toBe('node')
    const options = { cwd: root, env: { PATH: process.env.PATH ?? '', ...env } }
    return (await promisify(execFile)(process.execPath, moved, options)).stdout
  }

  /**
   * Gives each node a port of its own for the others: they dial from the port on which they listen, and on one machine
   * the same connection would be another node's already.
   */
  async function movePeers(): Promise<void> {
    const file = join(folder, 'specification.json')
    let text = await readFile(file, 'utf8')
    for (const name of NODES) {
      const port = await freePort()
      peerPorts.set(name, port)
      text = text.replace(`/ip4/${addressOf(name)}/tcp/30333/`, `/ip4/127.0.0.1/tcp/${port}/`)
    }
    await writeFile(file, text)
  }

  /** Runs the command of `council` with a key of the volume, and other words than those of the file. */
  async function council(key: string, ...words: string[]): Promise<string> {
    const [, script = ''] = commandOf('council')
    const node = `127.0.0.1:${rpcPorts.get('node')}`
    const env = environmentOf('council', { given: {}, places: [['node:9944', node]] })
    const argv = [script, ...words, '--key', join(folder, 'keys', `${key}.key`)]
    const options = { cwd: root, env: { PATH: process.env.PATH ?? '', ...env } }
    return (await promisify(execFile)(process.execPath, argv, options)).stdout
  }

  async function start(name: string, given: Record<string, string> = {}): Promise<void> {
    const data = join(folder, 'nodes', name)
    await mkdir(data, { recursive: true })
    const [rpc, metrics] = [rpcPorts.get(name) ?? (await freePort()), await freePort()]
    rpcPorts.set(name, rpc)
    const command = commandOf(name, given).map((word) =>
      word
        .replace(/^\/network/, folder)
        .replace(/^\/data/, data)
        .replace('/ip4/0.0.0.0/tcp/30333', `/ip4/127.0.0.1/tcp/${peerPorts.get(name)}`),
    )
    const log = await open(join(folder, `${name}.log`), 'a')
    const own = ['--rpc-port', String(rpc), '--prometheus-port', String(metrics)]
    running.set(name, spawn(nodeProgram ?? '', [...command, ...own], { stdio: ['ignore', log.fd, log.fd] }))
    await log.close()
  }

  async function end(name: string): Promise<void> {
    const child = running.get(name)
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill()
    await ended
  }

  /** Starts all that compose starts between `prepare` and the product. */
  async function startNetwork(prepared: string): Promise<void> {
    expect(await makeKeys(join(prepared, 'ledger'))).toMatch(/ is made, and nothing was started/)
    await movePeers()
    for (const name of NODES) await start(name)
  }

  /** Returns what an account has after the newest block that is final at a node. */
  const finalBalance = (account: string, name = 'node') =>
    withLedger(`ws://127.0.0.1:${rpcPorts.get(name)}`, async (api) => balanceOf(await finalState(api), account))

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'accredit-compose-'))
    const given = await settingsIn('scripts/operate/network.env')
    const nodePort = await freePort()
    rpcPorts.set('node', nodePort)
    production = await startProduction({ given, nodePort, start: startNetwork })
  }, 600_000)
  afterAll(async () => {
    await production?.stop()
    for (const name of running.keys()) await end(name)
    await rm(folder, { recursive: true })
  })

  it('finds itself by the specification alone, and makes a block final that the full node has too', async () => {
    const final = async () => {
      const heads = await Promise.all(NODES.map((name) => rpcOf(name).heads()))
      for (const head of heads) expect(head.final).toBeGreaterThan(2)
      const peers = await Promise.all(NODES.map((name) => rpcOf(name).health()))
      for (const { peers: count } of peers) expect(count).toBe(NODES.length - 1)
    }
    await vi.waitFor(final, { timeout: 150_000, interval: 500 })
    const { genesisHash } = JSON.parse(await readFile(join(folder, 'network.json'), 'utf8'))
    expect(await rpcOf('node').blockHash(0)).toBe(genesisHash)
  })

  it('is healthy as its checks ask, and answers the full node under its name, safe methods alone', async () => {
    for (const name of NODES)
      expect((await fetch(`http://127.0.0.1:${rpcPorts.get(name)}/health/readiness`)).status).toBe(200)
    expect(await askAs('node:9944', rpcPorts.get('node') ?? 0, 'system_chain')).toMatchObject({ result: 'Accredit' })
    expect(await askAs('node:9944', rpcPorts.get('node') ?? 0, 'author_rotateKeys')).toMatchObject({ error: {} })
  })

  it('pays from its treasury when two members of the council have voted, each by a command of its own', async () => {
    const account = await accountOf(`0x${'08'.repeat(32)}`)
    expect(await finalBalance(account)).toBe(0n)
    expect(await council('council-1', 'propose', 'fund', account, '--amount', '5')).toMatch(/More votes are needed/)
    expect(await finalBalance(account)).toBe(0n)
    expect(await council('council-2', 'vote', '0')).toMatch(/The council agreed, and it is done/)
    for (const name of NODES)
      await vi.waitFor(async () => expect(await finalBalance(account, name)).toBe(5n), FINAL_SOON)
  })

  it('has the product on it: a DID becomes final on every node, and the fee account of the genesis pays for it', async () => {
    const { said } = await production.run('api', ['api/dist/team.js', '--name', 'First team'])
    const { apiKey } = JSON.parse(said.trim().split('\n').at(-1) ?? '')
    const ask = (method: string, path: string, body?: object) => production.call(method, path, body, apiKey)
    const feeAccount = (await readFile(join(production.folder, 'ledger', 'fee-account'), 'utf8')).trim()
    const before = await finalBalance(feeAccount)
    const { body: made } = await ask('POST', '/dids', {})
    const isFinal = async () => expect((await ask('GET', `/jobs/${made.id}`)).body.status).toBe('finalized')
    await vi.waitFor(isFinal, { timeout: 120_000, interval: 200 })
    const { body: history } = await ask('GET', `/dids/${made.did}/history?event=Did.Created`)
    expect(history).toMatchObject({ total: 1, list: [{ submitter: feeAccount }] })
    const [{ block }] = JSON.parse(JSON.stringify(history.list))
    for (const name of NODES)
      await vi.waitFor(async () => expect((await rpcOf(name).heads()).final).toBeGreaterThanOrEqual(block), FINAL_SOON)
    expect(await finalBalance(feeAccount, 'validator-1')).toBeLessThan(before)
    const credential = { issuer: made.did, type: ['DegreeCredential'], subject: { degree: 'M.Sc.' } }
    const issued = await ask('POST', '/credentials', { revocable: true, credential })
    expect((await ask('POST', '/verify', issued.body)).body).toMatchObject({ verified: true })
  })

  it('gives a validator new session keys, as the README of the council tells', async () => {
    const refused = await council('validator-2', 'session-keys').catch(String)
    expect(refused).toMatch(/author_rotateKeysWithOwner/)
    const [, owner = ''] = /author_rotateKeysWithOwner (0x[0-9a-f]{64})/.exec(refused) ?? []
    await end('validator-2')
    await start('validator-2', { VALIDATOR_RPC_METHODS: 'unsafe' })
    const own = rpcPorts.get('validator-2') ?? 0
    const made = await vi.waitFor(() => askAs(`127.0.0.1:${own}`, own, 'author_rotateKeysWithOwner', owner), FINAL_SOON)
    expect(made).toMatchObject({ result: {} })
    const { keys, proof } = JSON.parse(JSON.stringify(made)).result
    expect(await council('validator-2', 'session-keys', '--keys', keys, '--proof', proof)).toMatch(
      /has named its session keys/,
    )
    await end('validator-2')
    await start('validator-2')
    const { final } = await rpcOf('node').heads()
    // It votes with them two sessions later.
    const goesOn = async () => expect((await rpcOf('validator-2').heads()).final).toBeGreaterThan(final + 22)
    await vi.waitFor(goesOn, { timeout: 150_000, interval: 500 })
  })

  it('keeps its keys when they are asked for again', async () => {
    const before = await readFile(join(folder, 'specification.json'))
    expect(await makeKeys(join(production.folder, 'ledger'))).toMatch(/already, and was left as it is/)
    expect(await readFile(join(folder, 'specification.json'))).toEqual(before)
  })
})

/** Returns what a file of settings says, a name and its value a line. */
/** Asks a node as who knows it by another name. */
function askAs(host: string, port: number, method: string, ...params: string[]): Promise<unknown> {
  const headers = { host, 'content-type': 'application/json' }
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, method: 'POST', headers }, (answer) => {
      let text = ''
      answer.on('data', (chunk) => {
        text += String(chunk)
      })
      answer.on('end', () => resolve(answer.statusCode === 200 ? JSON.parse(text) : answer.statusCode))
    })
    asked.on('error', reject)
    asked.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
  })
}
