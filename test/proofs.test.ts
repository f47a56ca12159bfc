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
import { indexesIn } from './testing/random-statuses/revoked-places.js'

/** The program is built in half an hour, and `npm test` never builds it: scripts/build-node does. */
const nodeProgram = process.env.ACCREDIT_NODE || undefined
const FEES = 10n ** 16n
/** The start names the account that has too little. */
const FEE_ACCOUNT = /The fee account (\w+) has too little/
const run = promisify(execFile)
const WAIT = { timeout: 60_000, interval: 1_000 }

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
    await vi.waitFor(
      async () => expect((await status()).answer).toMatchObject({ state: 'active', revoked: false }),
      WAIT,
    )
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

  it('say of the registry, the DID and its keys what REST says at the same block', async () => {
    const ask = requestsWith(serving.ready.apiKey, serving.ready.apiUrl)
    const { body: status } = await ask('GET', '/ledger/status')
    const at = `?at=${status.present.block}`
    const { body: told } = await ask('GET', `/trust-registries/${registry}/public${at}`)
    const { answer: proved } = await proven(`/trust-registries/${registry}/proof${at}`)
    const { convener, name, version } = proved
    expect({ convener, name, nonce: String(version) }).toEqual({
      convener: told.convener,
      name: told.name,
      nonce: told.nonce,
    })
    const { body: counted } = await ask('GET', `/trust-registries/${registry}${at}`)
    expect(proved).toMatchObject({
      schemas: 1,
      entries: 1,
      issuers: counted.issuerCount,
      verifiers: counted.verifierCount,
    })
    expect(told.govFramework).toBe(`0x${Buffer.from(proved.governance).toString('hex')}`)
    const { body: document } = await ask('GET', `/dids/${university}${at}`)
    const { answer: did } = await proven(`/dids/${university}/proof${at}`)
    expect(did).toMatchObject({ state: 'active', keys: document.verificationMethod.length })
    for (let number = 1; number <= did.lastKeyNumber + 1; number += 1) {
      const { answer: key } = await proven(`/dids/${university}/keys/${number}/proof${at}`)
      expect([number, relationshipsIn(document, number)]).toEqual([number, key.relationships ?? []])
    }
  })

  it('say of a status bit what the list says, before it is revoked and after', async () => {
    const ask = requestsWith(serving.ready.apiKey, serving.ready.apiUrl)
    const degree = await builders(serving.ready.apiUrl, serving.ready.apiKey).degree(university, schema)
    const { statusListCredential, statusListIndex } = degree.credentialStatus
    const list = statusListCredential.split('/status-lists/')[1]
    const revokedAt = async (block: number): Promise<unknown[]> => {
      const { body } = await ask('GET', `/status-lists/${list}?at=${block}`)
      const { answer } = await proven(`/registries/${list}/status/${statusListIndex}/proof?at=${block}`)
      return [indexesIn(body.credentialSubject.encodedList).includes(Number(statusListIndex)), answer.revoked]
    }
    const present = async (): Promise<number> => (await ask('GET', '/ledger/status')).body.present.block
    await vi.waitFor(async () => expect(await revokedAt(await present())).toEqual([false, false]), WAIT)
    const before = await present()
    expect((await ask('POST', `/credentials/${encodeURIComponent(degree.id)}/revoke`)).status).toBe(200)
    await vi.waitFor(async () => expect(await revokedAt(await present())).toEqual([true, true]), WAIT)
    expect(await revokedAt(before)).toEqual([false, false])
  })
})

/** The relationships of a DID document in which a key stands, in their order on the ledger. */
function relationshipsIn(document: Record<string, unknown>, number: number): string[] {
  return ['authentication', 'assertionMethod', 'capabilityInvocation', 'keyAgreement'].filter((relationship) =>
    JSON.stringify(document[relationship] ?? []).includes(`#keys-${number}"`),
  )
}
