import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import pg from 'pg'
import { withCleanUp } from '../network/clean-up.js'

export interface SecondIndex {
  readonly databaseUrl: string
  /** The process of the indexer. */
  readonly pid: number
  /** The height that it has when it has all blocks; fails where it ends before. */
  readonly height: Promise<number>
}

export interface Followed {
  readonly projectRoot: string
  /** A database on the server, as its owner. */
  readonly databaseUrl: string
  readonly ledgerUrl: string
  readonly finality: 'instant' | 'grandpa'
}

/** Lets a second indexer follow a ledger again, from its first block on, in a database of its own that is dropped behind it. */
export async function withSecondIndex<T>(followed: Followed, work: (index: SecondIndex) => Promise<T>): Promise<T> {
  const name = `catch_up_${process.pid}`
  const own = Object.assign(new URL(followed.databaseUrl), { pathname: `/${name}` }).href
  const admin = new pg.Client({ connectionString: followed.databaseUrl })
  await admin.connect()
  const inOwn = async () => {
    await admin.query(`create database ${name}`)
    return withCleanUp(
      () => withIndexer({ ...followed, databaseUrl: own }, work),
      () => admin.query(`drop database ${name} with (force)`),
    )
  }
  return withCleanUp(inOwn, () => admin.end())
}

async function withIndexer<T>(
  { projectRoot, databaseUrl, ledgerUrl, finality }: Followed,
  work: (index: SecondIndex) => Promise<T>,
): Promise<T> {
  const child = spawn(process.execPath, [join(projectRoot, 'indexer/lib/main.js')], {
    env: { ...process.env, DATABASE_URL: databaseUrl, LEDGER_URL: ledgerUrl, LEDGER_FINALITY: finality },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const height = heightOf(child.stdout)
  // A failure is told to those alone who wait for it.
  height.catch(() => {})
  const end = async () => {
    child.kill('SIGKILL')
    await ended
  }
  return withCleanUp(() => work({ databaseUrl, pid: child.pid ?? 0, height }), end)
}

async function heightOf(output: NodeJS.ReadableStream): Promise<number> {
  for await (const line of createInterface({ input: output }))
    if (line.includes('"ready":"indexer"')) return Number(JSON.parse(line).height)
  throw new Error('the indexer ended before it reached the head')
}
