import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { giveWay } from '../../start/processes/give-way.js'
import type { Stack } from '../../start/stack.js'
import type { Client } from '../../tour/client.js'
import { percentiles } from '../measure.js'
import type { Attack, AttackOrder, AttackOutcome, AttackRequest } from './attack.js'
import { type Innocent, innocent, type Kind, type Times } from './innocent.js'
import { SCENES, type Scene } from './scenes.js'

const SECONDS = 12
const CONNECTIONS = 200
/** Requests of a scene that are sent once before: the others are like them. */
const PROBED = 8
const ATTACKER = '127.0.0.3'
const INNOCENT = '127.0.0.2'

interface Hostile {
  stack: Stack
  /** The attacker's. */
  client: Client
  /** Another team's key. */
  innocentKey: string
  /** One scene; none: all. */
  only: string | undefined
}

/**
 * Measures the latency of a client while another one attacks: it reads, issues, verifies and makes DIDs from another
 * address, with the key of another team, while the attacker has one key, one address and 200 connections.
 */
export async function measureHostile({ stack, client, innocentKey, only }: Hostile): Promise<void> {
  const scenes = Object.entries(SCENES).filter(([name]) => only === undefined || name === only)
  if (scenes.length === 0) throw new Error(`npm run bench -- hostile [${Object.keys(SCENES).join(' | ')}]`)
  const victim = await innocent(stack.apiUrl, innocentKey, INNOCENT)
  await victim.live(2)
  console.log(
    '| while another client sends | requests | p50 ms | p95 ms | read | issue | verify | DID | it was answered |',
  )
  console.log('|---|---:|---:|---:|---:|---:|---:|---:|---|')
  for (const [, scene] of scenes) console.log(await play(scene, { stack, client, victim }))
}

async function play(
  scene: Scene,
  { stack, client, victim }: { stack: Stack; client: Client; victim: Innocent },
): Promise<string> {
  const attack = await scene.prepare?.(client)
  for (const request of attack?.requests.slice(0, PROBED) ?? []) await checkReached(stack, request)
  const attacking = attack && send(attack, stack)
  // The attack is under way when the measuring begins, and goes on until it has ended.
  await new Promise((resolve) => setTimeout(resolve, attacking ? 1000 : 0))
  const times = await victim.live(SECONDS)
  const memory = Math.round(memoryOf(stack.pids().api) / 1024)
  const outcome = (await attacking) ?? {}
  return rowOf(scene.title, times, `${describe(outcome)}; api ${memory} MB`)
}

/** Sends one request of an attack. @throws when it is refused before it comes to what it attacks */
async function checkReached(stack: Stack, { method, path, body, reaches }: AttackRequest): Promise<void> {
  if (reaches === undefined) return
  const headers = { 'content-type': 'application/json', 'svc-api-token': stack.apiKey }
  const answer = await fetch(stack.apiUrl + path, { method, headers, ...(body !== undefined && { body }) })
  const text = await answer.text()
  const shown = [String(answer.status), ...(path === '/verify' ? checksIn(JSON.parse(text)) : [])]
  if (!shown.includes(reaches)) throw new Error(`${method} ${path} does not reach ${reaches}: ${shown.join(', ')}`)
}

interface Checked {
  checks?: { check: string; passed: boolean | null; reason?: string }[]
  results?: Checked[]
}

/** The checks that were made, each by its name and with what was found: of all, and of a presentation itself. */
const checksIn = ({ checks = [], results = [] }: Checked): string[] => [
  ...checks.flatMap(({ check, passed, reason }) =>
    passed === null ? [] : [check, `${check} ${passed ? 'passed' : reason}`],
  ),
  ...results.slice(-1).flatMap(checksIn),
]

/** The attacker's work has a lower priority than the service's: in truth another machine does it. */
async function send(attack: Attack, stack: Stack): Promise<AttackOutcome> {
  const order: AttackOrder = {
    ...attack,
    connections: CONNECTIONS,
    port: Number(new URL(stack.apiUrl).port),
    address: ATTACKER,
    apiKey: stack.apiKey,
    seconds: SECONDS + 2,
  }
  const child = spawn(process.execPath, [fileURLToPath(new URL('attacker.js', import.meta.url))], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  })
  if (child.pid !== undefined) await giveWay(child.pid)
  child.stdin.end(JSON.stringify(order))
  let text = ''
  for await (const chunk of child.stdout) text += chunk
  return JSON.parse(text)
}

/** Returns the kilobytes in memory; 0 where the system does not tell. */
function memoryOf(pid: number | undefined): number {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}

const describe = (outcome: AttackOutcome): string =>
  Object.entries(outcome)
    .map(([what, count]) => `${count} × ${what}`)
    .join(', ')

function rowOf(title: string, times: Times, attacker: string): string {
  const all = Object.values(times).flat()
  const { p50, p95 } = percentiles(all)
  const of = (kind: Kind): string => percentiles(times[kind]).p95.toFixed(0)
  return `| ${title} | ${all.length} | ${p50.toFixed(0)} | ${p95.toFixed(0)} | ${of('read')} | ${of('issue')} | ${of('verify')} | ${of('did')} | ${attacker} |`
}
