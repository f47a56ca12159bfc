// Measures an embedded ledger on an empty database: DATABASE_URL=postgres://... node chain/embedded/dist/bench/main.js
import { forceBatch } from '@accredit/chain'
import { randomKeys } from '../keys.js'
import { type OpenLedger, openLedger } from '../open-ledger.js'
import type { Hex } from '../store/store.js'
import { Actor } from '../testing/actor.js'
import { FeePayer, randomPair } from '../testing/fee-payer.js'

const CREATIONS = Number(process.env.BENCH_ACTIONS ?? 1_000)
const BATCHES = (process.env.BENCH_BATCHES ?? '1,10,50,200').split(',').map(Number)
const IDLE_MS = Number(process.env.BENCH_IDLE_MS ?? 10_000)

function print(what: string, figures: Record<string, number>): void {
  const rounded = Object.entries(figures).map(([name, value]) => [name, Math.round(value * 100) / 100])
  process.stdout.write(`${JSON.stringify({ what, ...Object.fromEntries(rounded) })}\n`)
}

async function creations(payer: FeePayer, count: number, batch: number): Promise<Hex[]> {
  const extrinsics: Hex[] = []
  for (let made = 0; made < count; made += batch) {
    const calls = Array.from({ length: Math.min(batch, count - made) }, () => new Actor(payer.place).create())
    extrinsics.push(await payer.sign(forceBatch(calls)))
  }
  return extrinsics
}

/** All extrinsics are submitted at once, as a busy signer would do. */
async function throughput({ ledger }: OpenLedger, payer: FeePayer, batch: number): Promise<void> {
  const extrinsics = await creations(payer, CREATIONS, batch)
  const before = ledger.head.number
  const started = performance.now()
  await Promise.all(extrinsics.map((extrinsic) => ledger.producer.submit(extrinsic).included))
  const seconds = (performance.now() - started) / 1_000
  print(`did.create in force_batch of ${batch}`, {
    actions: CREATIONS,
    seconds,
    perSecond: CREATIONS / seconds,
    blocks: ledger.head.number - before,
  })
}

/** The extrinsics are submitted one after the other, each in a block of its own: a single caller waits as long. */
async function latency({ ledger }: OpenLedger, payer: FeePayer): Promise<void> {
  const times: number[] = []
  const extrinsics = await creations(payer, 30, 1)
  const cpu = process.cpuUsage()
  for (const extrinsic of extrinsics) {
    const started = performance.now()
    await ledger.producer.submit(extrinsic).included
    times.push(performance.now() - started)
  }
  const { user, system } = process.cpuUsage(cpu)
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.floor(times.length * share)] ?? 0
  print('one did.create, submitted to durable', {
    p50Ms: at(0.5),
    p95Ms: at(0.95),
    cpuMs: (user + system) / 1_000 / times.length,
  })
}

async function idle(): Promise<void> {
  const before = process.cpuUsage()
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS))
  const { user, system } = process.cpuUsage(before)
  const memoryMb = process.memoryUsage.rss() / 2 ** 20
  print('idle', { percentOfACore: (user + system) / 10 / IDLE_MS, memoryMb })
}

async function open(databaseUrl: string, feeAccount: string, keys: ReturnType<typeof randomKeys>): Promise<OpenLedger> {
  const started = performance.now()
  const opened = await openLedger({ databaseUrl, keys, feeAccounts: [feeAccount] })
  print('open', { milliseconds: performance.now() - started, height: opened.ledger.head.number })
  return opened
}

async function bench(databaseUrl: string): Promise<void> {
  const [pair, keys] = [await randomPair(), randomKeys()]
  const opened = await open(databaseUrl, pair.address, keys)
  const payer = await FeePayer.on(opened.ledger, pair)
  await latency(opened, payer)
  for (const batch of BATCHES) await throughput(opened, payer, batch)
  await idle()
  await payer.close()
  await opened.close()
  await (await open(databaseUrl, pair.address, keys)).close()
}

const { DATABASE_URL } = process.env
if (!DATABASE_URL) throw new Error('DATABASE_URL is not set: it names an empty database')
await bench(DATABASE_URL)
