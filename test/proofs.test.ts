import { execFile } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ApiPromise, Keyring } from '@polkadot/api'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { Socket } from '../chain/embedded/src/testing/ledger-process.js'
import type { NetworkState } from '../scripts/network/network-state.js'
import { startNetwork, stopNetwork } from '../scripts/network/run-network.js'
import { builders } from './support/ecosystem.js'
import { type Serving, startServing } from './support/npm-start.js'
import { root } from './support/repository-files.js'
import { requestsWith } from './support/requests.js'
import { type ScratchDatabase, scratchDatabase } from './support/scratch-database.js'

/** The program is built in half an hour, and `npm test` never builds it: scripts/build-node does. */
const nodeProgram = process.env.ACCREDIT_NODE || undefined
const FEES = 10n ** 16n
/** The start names the account that has too little. */
const FEE_ACCOUNT = /The fee account (\w+) has too little/
const run = promisify(execFile)

/** Gives an account of the network what its fees take, and waits until it is final. */
async function give(account: string, payer: ReturnType<Keyring['addFromSeed']>, url: string): Promise<void> {
  const socket = new Socket(url)
  const api = await ApiPromise.create({ provider: socket, noInitWarn: true })
  const transfer = api.tx.balances?.transferKeepAlive
  if (!transfer) throw new Error('the chain has no transfers')
  await new Promise<void>((resolve, reject) => {
    transfer(account, FEES)
      .signAndSend(payer, ({ status, dispatchError }) => {
        if (dispatchError) reject(new Error(dispatchError.toString()))
        if (status.isFinalized) resolve()
      })
      .catch(reject)
  })
  await api.disconnect()
}

describe.runIf(nodeProgram)('proofs of a product on a network of validators', () => {
  let folder: string
  let network: NetworkState
  let database: ScratchDatabase
  let serving: Serving
  let university: string
  let registry: string
  let schema: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'accredit-proofs-'))
    const rich = new Keyring({ type: 'sr25519', ss58Format: 42 }).addFromSeed(randomBytes(32))
    const options = { stateDir: join(folder, 'network'), nodeProgram, validators: 4, feeAccounts: [rich.address] }
    network = await startNetwork(options)
    database = await scratchDatabase()
    const urls = network.nodes.map(({ ports }) => `ws://127.0.0.1:${ports.rpc}`)
    const stateDir = join(folder, 'product')
    serving = await startServing(['--state', stateDir, '--ledger-urls', urls.join(',')], database.url)
    await vi.waitFor(() => expect(serving.said()).toMatch(FEE_ACCOUNT), { timeout: 60_000 })
    const [, feeAccount = ''] = FEE_ACCOUNT.exec(serving.said()) ?? []
    await give(feeAccount, rich, urls[0] ?? '')
    const make = builders(serving.ready.apiUrl, serving.ready.apiKey)
    university = await make.organisation('Bilkent Üniversitesi')
    schema = await make.schema()
    registry = await make.registry(university, 'Degrees')
    await make.accredit(registry, university, [schema])
  })
  afterAll(async () => {
    await serving?.stop()
    await stopNetwork(join(folder, 'network')).catch(() => {})
    await database?.drop()
    await rm(folder, { recursive: true, force: true })
  })

  /** Asks for a bundle, and checks it as an auditor does, by the command and the genesis of the network. */
  async function proven(path: string) {
    const response = await fetch(`${serving.ready.apiUrl}${path}`)
    const text = await response.text()
    expect(response.status, text).toBe(200)
    const file = join(folder, `${randomUUID()}.json`)
    await writeFile(file, text)
    const args = ['scripts/verify-proof.mjs', file, '--genesis', network.genesisHash, '--json']
    const { stdout } = await run(process.execPath, args, { cwd: root })
    return { text, file, ...JSON.parse(stdout) }
  }

  it('prove the runtime that decided, too, from the code and the nodes that any node of the network gives', async () => {
    const { file, block, standsOn } = await proven(`/dids/${university}/proof`)
    const url = `ws://127.0.0.1:${network.nodes[0]?.ports.rpc}`
    const known = standsOn.flatMap(({ number, hash }: { number: number; hash: string }) => [
      '--known',
      `${number}:${hash}`,
    ])
    const args = ['--url', url, '--bundle', file, '--genesis', network.genesisHash, ...known, '--json']
    const { stdout } = await run(process.execPath, ['scripts/verify-runtime.mjs', ...args], { cwd: root })
    const { number, hash } = block
    expect(JSON.parse(stdout)).toMatchObject({ isEqual: true, isProved: true, block: { number, hash } })
  })

  it('are given by all five routes, and checked offline from the genesis hash', async () => {
    const make = builders(serving.ready.apiUrl, serving.ready.apiKey)
    const issued = await make.degree(university, schema)
    const { statusListCredential, statusListIndex } = issued.credentialStatus
    const list = statusListCredential.split('/status-lists/')[1]?.split('/')[0]
    const who = `did=${university}&schema=${encodeURIComponent(schema)}&role=issuer`
    const answers = await Promise.all(
      [
        `/trust-registries/${registry}/authorization/proof?${who}`,
        `/trust-registries/${registry}/proof`,
        `/dids/${university}/proof`,
        `/dids/${university}/keys/1/proof`,
      ].map(async (path) => (await proven(path)).answer),
    )
    expect(answers).toMatchObject([
      { authorized: true, reason: 'direct' },
      { state: 'active', convener: university, name: 'Degrees' },
      { state: 'active' },
      { state: 'in_use' },
    ])
    const status = () => proven(`/registries/${list}/status/${statusListIndex}/proof`)
    await vi.waitFor(async () => expect((await status()).answer).toMatchObject({ state: 'active', revoked: false }), {
      timeout: 60_000,
      interval: 1_000,
    })
  })

  it('stand on the block of the answer beside them, and say the same', async () => {
    const who = `did=${university}&schema=${encodeURIComponent(schema)}&role=issuer`
    const ask = requestsWith(undefined, serving.ready.apiUrl)
    const { body: answer } = await ask('GET', `/trust-registries/${registry}/authorization?${who}`)
    const path = `/trust-registries/${registry}/authorization/proof?${who}&at=${answer.block}`
    const { authorized, reason } = answer
    expect(await proven(path)).toMatchObject({
      answer: { authorized, reason },
      block: { number: answer.block, time: answer.time },
    })
  })
})
