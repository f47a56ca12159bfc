import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { nodeProgramThat } from '../test/support/node-program.js'
import { root } from '../test/support/repository-files.js'
import { scratchDatabase } from '../test/support/scratch-database.js'
import { withSecondIndex } from './bench/second-index.js'
import { Product } from './network/faults/product.js'
import { makeNetwork } from './network/make-network.js'
import { specificationFile } from './network/network-state.js'
import { launchNodes, stopNetwork } from './network/run-network.js'
import { withTrialNetwork } from './network/trial-network.js'

/** Folders that cannot be removed, as where a disk is mounted. */
const busy = vi.hoisted(() => new Set<unknown>())
vi.mock('node:fs/promises', async (original) => {
  const files = await original<typeof import('node:fs/promises')>()
  const refusal = Object.assign(new Error('it is mounted'), { code: 'EBUSY' })
  const rm: typeof files.rm = (path, options) => (busy.has(path) ? Promise.reject(refusal) : files.rm(path, options))
  return { ...files, rm }
})

/** The rest of a clean-up that fails: it is told, and hides nothing of what failed before. */
let folder: string
let stateDir: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'accredit-clean-up-'))
  stateDir = join(folder, 'state')
})
afterEach(async () => {
  vi.restoreAllMocks()
  await stopNetwork(stateDir).catch(() => {})
  for (const made of [stateDir, folder]) await rm(made, { recursive: true, force: true })
})

/** Makes a network of which one node runs. */
async function oneNode() {
  const made = await makeNetwork(stateDir, { validators: 4, feeAccounts: [] })
  await launchNodes(await nodeProgramThat(folder, 'exec sleep 600'), stateDir, made, made.nodes.slice(0, 1))
}

describe('the network of a trial', () => {
  /** Does some work as a trial, whose temporary folder is `stateDir`, on one node that runs. */
  async function tried(work: () => Promise<string>) {
    const told: string[] = []
    const trial = withTrialNetwork(
      (line) => told.push(line),
      async (folderOfTrial) => {
        stateDir = folderOfTrial
        await oneNode()
        return work()
      },
    )
    return { told, outcome: await trial.catch((error) => error.message) }
  }
  const hide = () => rename(specificationFile(stateDir), join(folder, 'elsewhere'))
  const bringBack = () => rename(join(folder, 'elsewhere'), specificationFile(stateDir))

  test('is removed when its work is done, and when that fails', async () => {
    for (const [work, outcome] of [
      [async () => 'all holds', 'all holds'],
      [() => Promise.reject(new Error('something does not hold')), 'something does not hold'],
    ] as const) {
      expect(await tried(work)).toEqual({ told: [], outcome })
      await expect(access(stateDir)).rejects.toThrow('ENOENT')
    }
  })

  test('fails the trial where it cannot be stopped, and its folder is kept until it can', async () => {
    const { told, outcome } = await tried(async () => {
      await hide()
      return 'all holds'
    })
    expect(told).toEqual([])
    expect(outcome).toMatch(/could not be stopped: .*stop --state .* finds its nodes\.$/)
    expect(outcome).toContain(`stop --state ${stateDir} finds`)
    await bringBack()
    expect(await stopNetwork(stateDir)).toBe(1)
  })

  test('that cannot be stopped hides nothing of what failed before', async () => {
    const { told, outcome } = await tried(async () => {
      await hide()
      throw new Error('something does not hold')
    })
    expect(told).toEqual([expect.stringContaining(`stop --state ${stateDir} finds its nodes`)])
    expect(outcome).toBe('something does not hold')
    await bringBack()
  })

  test('fails the trial where its folder cannot be removed, and hides nothing of what failed before', async () => {
    const begin = async () => busy.add(stateDir)
    const left = () =>
      `The nodes of the network in ${stateDir} have ended, and its folder cannot be removed: EBUSY. A disk that is mounted there is unmounted first.`
    const after = await tried(() => begin().then(() => 'all holds'))
    expect(after).toEqual({ told: [], outcome: left() })
    const failed = await tried(() => begin().then(() => Promise.reject(new Error('something does not hold'))))
    expect(failed).toEqual({ told: [left()], outcome: 'something does not hold' })
    for (const folder of busy) {
      busy.delete(folder)
      await rm(String(folder), { recursive: true })
    }
  })
})

test('a product that cannot be stopped is told, and its folder is kept', async () => {
  await mkdir(stateDir)
  let failing = true
  const stop = async () => {
    if (failing) throw new Error('ready.json cannot be removed.')
  }
  const product: Product = Object.assign(Object.create(Product.prototype), { options: { stateDir }, stack: { stop } })
  await expect(product.remove()).rejects.toThrow(
    `The product in ${stateDir} could not be stopped: ready.json cannot be removed. Its folder stays, with its log.`,
  )
  await access(stateDir)
  failing = false
  await product.remove()
  await expect(access(stateDir)).rejects.toThrow('ENOENT')
})

test('a second index whose database cannot be dropped hides nothing of what failed before, and ends its connection', async () => {
  const told = vi.spyOn(console, 'error').mockImplementation(() => {})
  const database = await scratchDatabase()
  const admin = new pg.Client({ connectionString: database.url })
  await admin.connect()
  const followed = { projectRoot: root, databaseUrl: database.url, ledgerUrl: 'ws://127.0.0.1:1' }
  try {
    const name = `catch_up_${process.pid}`
    const work = async () => {
      await admin.query(`drop database ${name} with (force)`)
      throw new Error('something does not hold')
    }
    await expect(withSecondIndex({ ...followed, finality: 'instant' }, work)).rejects.toThrow('something does not hold')
    expect(told.mock.calls).toEqual([[`database "${name}" does not exist`]])
    const connected = `select count(*)::int as count from pg_stat_activity where datname = current_database()`
    const others = async () => (await admin.query<{ count: number }>(connected)).rows[0]?.count
    await expect.poll(others).toBe(1)
  } finally {
    await admin.end()
    await database.drop()
  }
})
