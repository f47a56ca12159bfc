import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import pg from 'pg'

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
export async function withSecondIndex<T>(
  { projectRoot, databaseUrl, ledgerUrl, finality }: Followed,
  work: (index: SecondIndex) => Promise<T>,
): Promise<T> {
  const name = `catch_up_${process.pid}`
  const own = Object.assign(new URL(databaseUrl), { pathname: `/${name}` }).href
  const admin = new pg.Client({ connectionString: databaseUrl })
  await admin.connect()
  await admin.query(`create database ${name}`)
  const child = spawn(process.execPath, [join(projectRoot, 'indexer/lib/main.js')], {
    env: { ...process.env, DATABASE_URL: own, LEDGER_URL: ledgerUrl, LEDGER_FINALITY: finality },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const height = heightOf(child.stdout)
  // A failure is told to those alone who wait for it.
  height.catch(() => {})
  try {
    return await work({ databaseUrl: own, pid: child.pid ?? 0, height })
  } finally {
    child.kill('SIGKILL')
    await ended
    await admin.query(`drop database ${name} with (force)`)
    await admin.end()
  }
}

async function heightOf(output: NodeJS.ReadableStream): Promise<number> {
  for await (const line of createInterface({ input: output }))
    if (line.includes('"ready":"indexer"')) return Number(JSON.parse(line).height)
  throw new Error('the indexer ended before it reached the head')
}
