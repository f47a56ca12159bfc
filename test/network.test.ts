import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { accountOf, CODE_KEY } from '@accredit/embedded-ledger/network'
import type { ApiPromise } from '@polkadot/api'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { withLedger } from '../scripts/council/ledger-client.js'
import { run } from '../scripts/council/main.js'
import { parseCouncilOptions } from '../scripts/council/options.js'
import { councilStatus } from '../scripts/council/status.js'
import { fundAccount } from '../scripts/network/fund.js'
import { makeNode } from '../scripts/network/make-network.js'
import {
  keyFile,
  type NetworkState,
  type NodeState,
  requireState,
  saveState,
} from '../scripts/network/network-state.js'
import { requireNodeProgram, stopNode } from '../scripts/network/node-process.js'
import { nodeRpc } from '../scripts/network/node-rpc.js'
import {
  addNode,
  networkStatus,
  restartNodes,
  startNetwork,
  startNodes,
  stopNetwork,
} from '../scripts/network/run-network.js'
import { rpcUrlOf } from '../scripts/network/status.js'
import { upgradeNetwork } from '../scripts/network/upgrade.js'
import { addValidator, removeValidator } from '../scripts/network/validators.js'
import { root } from './support/repository-files.js'

/** The program is built in half an hour, and `npm test` never builds it: scripts/build-node does. */
const nodeProgram = process.env.ACCREDIT_NODE || undefined
/** A runtime that comes after any release. */
const NEXT_RUNTIME = join(root, 'chain/artifact/testing/next.wasm')
/** A key that no state has. */
const NO_KEY = '0x3a6e6f7468696e67'

const statusNow = (api: ApiPromise) => councilStatus(api, Date.now())

describe.runIf(nodeProgram)('a network of four validators', () => {
  let stateDir: string
  let network: NetworkState

  beforeAll(async () => {
    stateDir = await mkdtemp(join(tmpdir(), 'accredit-network-'))
    network = await startNetwork({ stateDir, nodeProgram, validators: 4, feeAccounts: [] })
  })
  afterAll(async () => {
    await stopNetwork(stateDir).catch(() => {})
    await rm(stateDir, { recursive: true })
  })

  function validator(number: number): NodeState {
    const node = network.nodes[number - 1]
    if (!node) throw new Error(`there is no validator ${number}`)
    return node
  }
  const finalAt = async (node: NodeState) => (await nodeRpc(node).heads()).final

  async function finalityGoesOn(node: NodeState): Promise<void> {
    const before = await finalAt(node)
    await vi.waitFor(async () => expect(await finalAt(node)).toBeGreaterThan(before + 2), {
      timeout: 60_000,
      interval: 200,
    })
  }

  it('begins with the genesis that the embedded executor computed, on every node', async () => {
    const hashes = await Promise.all(network.nodes.map((node) => nodeRpc(node).blockHash(0)))
    expect(new Set(hashes)).toEqual(new Set([network.genesisHash]))
  })

  it('makes blocks final, and each node knows the others and the age of its final block', async () => {
    await finalityGoesOn(validator(1))
    for (const { seen } of await networkStatus(stateDir)) {
      expect(seen?.peers).toBe(3)
      expect(seen?.final).toBeGreaterThan(0)
      expect(seen?.lagSeconds).toBeLessThan(30)
      expect(seen?.memoryBytes).toBeGreaterThan(1e6)
    }
  })

  it('keeps a justification of each final block, and proves what its state has and has not', async () => {
    const rpc = nodeRpc(validator(2))
    const final = await finalAt(validator(2))
    for (const height of [1, final - 1, final]) {
      const justifications = await rpc.justifications(await rpc.blockHash(height))
      expect(justifications.map(({ engine }) => engine)).toEqual(['FRNK'])
    }
    const hash = await rpc.blockHash(1)
    const { at, proof } = await rpc.readProof([CODE_KEY, NO_KEY], hash)
    expect(at).toBe(hash)
    expect(proof.length).toBeGreaterThan(0)
  })

  it('sends an answer of several pieces at once, which the kernel would hold back for 40 ms', async () => {
    const times = await withLedger(rpcUrlOf(validator(2)), async (_, ask) => {
      const keys = await ask('state_getKeysPaged', '0x', 64, null)
      const taken: number[] = []
      for (let time = 0; time < 20; time += 1) {
        const begun = performance.now()
        const proof = await ask('state_getReadProof', keys)
        taken.push(performance.now() - begun)
        expect(JSON.stringify(proof).length).toBeGreaterThan(8 * 1024)
      }
      return taken
    })
    expect(Math.min(...times)).toBeLessThan(20)
  })

  it('refuses a second start, and a method that is for the node itself', async () => {
    await expect(startNetwork({ stateDir, nodeProgram, validators: 4, feeAccounts: [] })).rejects.toThrow(
      /runs already/,
    )
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'author_rotateKeys', params: [] })
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`http://127.0.0.1:${validator(1).ports.rpc}`, { method: 'POST', headers, body })
    expect(await answer.json()).toMatchObject({ error: { message: expect.stringMatching(/unsafe/) } })
  })

  it('goes on making blocks final when one of four is killed, and takes it back', async () => {
    await stopNode(stateDir, validator(4), 'SIGKILL')
    await finalityGoesOn(validator(1))
    await restartNodes({ stateDir, nodeProgram }, ['validator-4'])
    await finalityGoesOn(validator(4))
  })

  it('stands still without two thirds, and goes on when they are back', async () => {
    await Promise.all([stopNode(stateDir, validator(3)), stopNode(stateDir, validator(4))])
    const { best } = await nodeRpc(validator(1)).heads()
    await vi.waitFor(async () => expect((await nodeRpc(validator(1)).heads()).best).toBeGreaterThan(best + 3), {
      timeout: 60_000,
      interval: 200,
    })
    expect(await finalAt(validator(1))).toBeLessThanOrEqual(best)
    await restartNodes({ stateDir, nodeProgram }, ['validator-3', 'validator-4'])
    await finalityGoesOn(validator(1))
  })

  it('takes a validator for which the council votes, and lets one go', async () => {
    const node = await addValidator({ stateDir, nodeProgram })
    expect(node.name).toBe('validator-5')
    const removed = await removeValidator(stateDir, 'validator-4')
    expect(removed.name).toBe('validator-4')
    network = await requireState(stateDir)
    expect(network.nodes.map(({ name }) => name)).toEqual(['validator-1', 'validator-2', 'validator-3', 'validator-5'])
    await finalityGoesOn(validator(1))
    await expect(removeValidator(stateDir, 'validator-4')).rejects.toThrow(/is no validator of this network/)
  }, 300_000)

  it('takes the node of another operator, by commands of the operator and of single members of the council', async () => {
    const before = await requireState(stateDir)
    const to = rpcUrlOf(validator(1))
    const council = (...argv: string[]) => run(parseCouncilOptions(argv, {}), () => {})
    const by = (member: number, ...argv: string[]) =>
      council(...argv, '--url', to, '--key', keyFile(stateDir, `council-${member}.key`))
    const made = await makeNode(stateDir, 'validator-9', 'validator')
    const program = await requireNodeProgram(nodeProgram)
    const grown = { ...before, nodes: [...before.nodes, made] }
    await startNodes(program, stateDir, grown, [made], { methods: 'unsafe' })
    try {
      const key = join(stateDir, 'operator.key')
      const [account = ''] = (await council('account', '--key', key)).split('\n')
      await by(1, 'propose', 'fund', account, '--amount', '10000000000000000')
      expect(await by(2, 'vote', await onlyMotion(to))).toMatch(/it is done/)
      await expect(council('session-keys', '--url', to, '--key', key)).rejects.toThrow(/The node makes no keys: /)
      await council('session-keys', '--url', rpcUrlOf(made), '--key', key)
      await by(2, 'propose', 'add-validator', account)
      expect(await by(3, 'vote', await onlyMotion(to))).toMatch(`adds ${account} to the list of validators`)
      const inEffect = () => withLedger(to, async (api) => (await statusNow(api)).validators.inEffect)
      await vi.waitFor(async () => expect(await inEffect()).toContain(account), { timeout: 120_000, interval: 3_000 })
      await finalityGoesOn(made)
      await by(1, 'propose', 'remove-validator', account)
      expect(await by(3, 'vote', await onlyMotion(to))).toMatch(`takes ${account} off the list of validators`)
      await vi.waitFor(async () => expect(await inEffect()).not.toContain(account), {
        timeout: 120_000,
        interval: 3_000,
      })
    } finally {
      await stopNode(stateDir, made)
      await saveState(stateDir, before)
    }
  }, 400_000)

  it('lets a node go that its addition left behind, without a vote', async () => {
    const state = await requireState(stateDir)
    const account = await accountOf(`0x${'66'.repeat(32)}`)
    await saveState(stateDir, {
      ...state,
      nodes: [...state.nodes, { ...(await makeNode(stateDir, 'validator-6', 'validator')), account }],
    })
    expect((await removeValidator(stateDir, 'validator-6')).name).toBe('validator-6')
    expect(await requireState(stateDir)).toEqual(state)
  })

  it('pays an account from the treasury by a vote, and not more than the treasury has', async () => {
    const account = await accountOf(`0x${'77'.repeat(32)}`)
    const { balance } = await fundAccount(stateDir, account, 1_000n)
    expect(balance).toBe(1_000n)
    await expect(fundAccount(stateDir, account, 10n ** 30n)).rejects.toThrow(/which is less than/)
  }, 120_000)

  it('runs a newer runtime after a vote on its hash, and refuses an older one', async () => {
    const before = await finalAt(validator(1))
    expect(await upgradeNetwork(stateDir, NEXT_RUNTIME)).toMatchObject({ to: 1_000_000 })
    await finalityGoesOn(validator(1))
    expect(await finalAt(validator(1))).toBeGreaterThan(before)
    await expect(upgradeNetwork(stateDir, NEXT_RUNTIME)).rejects.toThrow(/is no later one/)
  }, 180_000)

  it('takes a full node, which learns the whole history', async () => {
    const added = await addNode({ stateDir, nodeProgram })
    await vi.waitFor(
      async () => expect(await finalAt(added)).toBeGreaterThanOrEqual((await finalAt(validator(1))) - 2),
      {
        timeout: 60_000,
        interval: 200,
      },
    )
    expect((await nodeRpc(added).readProof([CODE_KEY], await nodeRpc(added).blockHash(1))).proof).not.toEqual([])
  })
})

/** Returns the number of the motion that is open, as a member reads it. */
async function onlyMotion(url: string): Promise<string> {
  const { motions } = await withLedger(url, statusNow)
  expect(motions).toHaveLength(1)
  return String(motions[0]?.number)
}

describe.runIf(nodeProgram)('a network of three validators, each of whose votes is needed', () => {
  it('goes on making blocks final when the council has removed one', async () => {
    const stateDir = await mkdtemp(join(tmpdir(), 'accredit-network-'))
    try {
      await startNetwork({ stateDir, nodeProgram, validators: 3, feeAccounts: [] })
      await removeValidator(stateDir, 'validator-3')
      const [{ seen: before } = {}] = await networkStatus(stateDir)
      await vi.waitFor(
        async () => {
          const [{ seen } = {}] = await networkStatus(stateDir)
          expect(seen?.final).toBeGreaterThan((before?.best ?? Number.POSITIVE_INFINITY) + 2)
        },
        { timeout: 60_000, interval: 500 },
      )
    } finally {
      await stopNetwork(stateDir).catch(() => {})
      await rm(stateDir, { recursive: true })
    }
  }, 240_000)
})
