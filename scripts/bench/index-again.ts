import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'

interface Chain {
  projectRoot: string
  /** A database of the server on which the second index gets one of its own. */
  databaseUrl: string
  ledgerUrl: string
  finality: 'instant' | 'grandpa'
  /** The height that is to be reached. */
  blocks: number
}

export interface IndexedAgain {
  /** The blocks that were measured, and the time that they took. */
  count: number
  seconds: number
}

/** The first blocks are slower: code is cold, and the types of the runtime are read. */
const COLD_SHARE = 0.1

/**
 * Lets a second indexer follow a chain again, on an empty database, and measures it from a tenth of the blocks to their
 * last.
 *
 * @param measuring runs where the measurement begins; what it returns where it ends
 */
export async function indexAgain(
  { projectRoot, databaseUrl, ledgerUrl, finality, blocks }: Chain,
  measuring: (indexerPid: number) => (blocks: number) => void = () => () => {},
): Promise<IndexedAgain> {
  const name = `catch_up_${process.pid}`
  const admin = new pg.Client({ connectionString: databaseUrl })
  await admin.connect()
  await admin.query(`create database ${name}`)
  const url = new URL(databaseUrl)
  url.pathname = `/${name}`
  const index = new pg.Client({ connectionString: url.toString() })
  await index.connect()
  await index.query('create schema ledger')
  const child = spawn(process.execPath, [join(projectRoot, 'indexer/lib/main.js')], {
    env: { ...process.env, DATABASE_URL: url.toString(), LEDGER_URL: ledgerUrl, LEDGER_FINALITY: finality },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = new Promise<never>((_, reject) => {
    child.once('exit', () => reject(new Error('the indexer ended before it reached the head')))
  })
  ended.catch(() => undefined)
  try {
    const first = await Promise.race([ended, reached(index, blocks * COLD_SHARE)])
    const [begun, measured] = [performance.now(), measuring(child.pid ?? 0)]
    const last = await Promise.race([ended, reached(index, blocks)])
    const seconds = (performance.now() - begun) / 1000
    measured(last - first)
    return { count: last - first, seconds }
  } finally {
    child.kill('SIGKILL')
    await index.end()
    await admin.query(`drop database ${name} with (force)`)
    await admin.end()
  }
}

/** Returns the height of the index as soon as it is at least so high. */
async function reached(index: pg.Client, height: number): Promise<number> {
  const isMade = async () => {
    const { rows } = await index.query<{ made: string | null }>(`select to_regclass('ledger.block')::text as made`)
    return rows[0]?.made !== null
  }
  while (!(await isMade())) await pause(20)
  for (;;) {
    const { rows } = await index.query<{ last: number | null }>('select max(height) as last from ledger.block')
    const last = rows[0]?.last ?? 0
    if (last >= height) return last
    await pause(5)
  }
}
