import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { madeText, makeForHosts } from '../scripts/network/make-for-hosts.js'
import { nodeFolder, specificationFile } from '../scripts/network/network-state.js'
import { nodeRpc } from '../scripts/network/node-rpc.js'
import { freePort } from '../scripts/start/processes/ports.js'

/** The program is built in half an hour, and `npm test` never builds it: scripts/build-node does. */
const nodeProgram = process.env.ACCREDIT_NODE || undefined

describe.runIf(nodeProgram)('what `make` prints, run in a shell as it stands but for the ports', () => {
  let folder: string
  let programs: string
  const running: ChildProcess[] = []

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'accredit-hosts-'))
    programs = join(folder, 'programs')
    await mkdir(programs)
    await symlink(nodeProgram ?? '', join(programs, 'accredit-node'))
  })
  afterAll(async () => {
    for (const child of running) {
      const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined
      child.kill()
      await ended
    }
    await rm(folder, { recursive: true })
  })

  const env = () => ({ ...process.env, PATH: `${programs}:${process.env.PATH}` })

  /** Runs the line that starts a node, in a folder that stands for its host; returns what asks it. */
  async function host(cwd: string, line: string, peersPort: number) {
    const [rpc, metrics] = [await freePort(), await freePort()]
    const moved = line.replace('/ip4/0.0.0.0/tcp/30333', `/ip4/127.0.0.1/tcp/${peersPort}`)
    const own = `--rpc-port ${rpc} --prometheus-port ${metrics}`
    running.push(spawn('sh', ['-c', `exec ${moved} ${own}`], { cwd, env: env(), stdio: 'ignore' }))
    return nodeRpc({ ports: { peers: peersPort, rpc, metrics } })
  }

  it('starts a validator in its folder, and in an empty one a node that joins it', async () => {
    const stateDir = join(folder, 'network')
    const made = await makeForHosts({ stateDir, validators: 1, feeAccounts: [], hosts: ['127.0.0.1'] })
    const text = madeText(made, stateDir).replaceAll('\\\n', ' ')
    const [keyLine = ''] = /accredit-node key [^)\n]*/.exec(text) ?? []
    const [nodeLine = ''] = /accredit-node --chain .*/.exec(text) ?? []
    const [first] = made.state.nodes
    if (!first) throw new Error('there is no validator')

    const hers = nodeFolder(stateDir, first)
    await copyFile(specificationFile(stateDir), join(hers, 'specification.json'))
    const one = await host(hers, nodeLine, first.ports.peers)
    const his = join(folder, 'empty')
    await mkdir(his)
    await copyFile(specificationFile(stateDir), join(his, 'specification.json'))
    await promisify(execFile)('sh', ['-c', keyLine], { cwd: his, env: env() })
    const other = await host(his, nodeLine, await freePort())

    const bothAreFinal = async () => {
      for (const rpc of [one, other]) expect((await rpc.heads()).final).toBeGreaterThan(1)
      expect(await other.blockHash(1)).toBe(await one.blockHash(1))
    }
    await vi.waitFor(bothAreFinal, { timeout: 90_000, interval: 500 })
    expect((await other.health()).peers).toBe(1)
  })
})
