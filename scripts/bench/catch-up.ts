import { spawn } from 'node:child_process'
import { join } from 'node:path'
import pg from 'pg'
import type { Stack } from '../start/stack.js'
import type { Measured } from './measure.js'
import { processorMeter } from './processor-time.js'

/** A second indexer, on an empty database, follows the whole chain again: blocks a second from genesis to the head. */
export async function measureCatchUp(stack: Stack, projectRoot: string): Promise<Measured> {
  const name = `catch_up_${process.pid}`
  const admin = new pg.Client({ connectionString: stack.databaseUrl })
  await admin.connect()
  await admin.query(`create database ${name}`)
  const url = new URL(stack.databaseUrl)
  url.pathname = `/${name}`
  const index = new pg.Client({ connectionString: url.toString() })
  await index.connect()
  await index.query('create schema ledger')
  const begun = performance.now()
  const child = spawn(process.execPath, [join(projectRoot, 'indexer/lib/main.js')], {
    env: { ...process.env, DATABASE_URL: url.toString(), LEDGER_URL: stack.ledgerUrl, LEDGER_FINALITY: 'instant' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const metered = processorMeter(() => ({ ...stack.pids(), indexer: child.pid ?? 0 }))()
  try {
    const height = await firstReady(child.stdout)
    const seconds = (performance.now() - begun) / 1000
    return {
      title: 'Blocks indexed from genesis (process start included)',
      count: height,
      perSecond: height / seconds,
      p50: 0,
      p95: 0,
      processorTime: metered(height),
    }
  } finally {
    child.kill('SIGKILL')
    await index.end()
    await admin.query(`drop database ${name} with (force)`)
    await admin.end()
  }
}

async function firstReady(output: NodeJS.ReadableStream): Promise<number> {
  let text = ''
  for await (const chunk of output) {
    text += chunk
    const line = text.split('\n').find((candidate) => candidate.includes('"ready":"indexer"'))
    if (line) return Number(JSON.parse(line).height)
  }
  throw new Error('the indexer ended before it reached the head')
}
