// Tells Docker whether a process of ours does its work: `node scripts/dist/doctor/health.js <process>`, with that process's settings.
import { readFileSync } from 'node:fs'
import { type ClientRequest, request } from 'node:http'
import { request as requestByTls } from 'node:https'
import { ledgerUrls } from '@accredit/process/ledger-urls'
import { secretsFrom } from '@accredit/process/secret-files'
import pg from 'pg'
import { withPassword } from '../start/database/roles.js'
import { messageOf } from '../start/refusal.js'

const PATIENCE_MS = 5_000
/** A process that is further behind than this does not follow any more, or has only just begun to. */
const MOST_BLOCKS_BEHIND = 500

const env = secretsFrom(process.env)
const [, , name = ''] = process.argv

const CHECKS: Record<string, () => Promise<void>> = {
  ledger: () => httpAnswers(`http://127.0.0.1:${env.LEDGER_PORT ?? '9944'}`),
  api: () => httpAnswers(`http://127.0.0.1:${env.API_PORT ?? '3300'}/ready`),
  signer: signerAnswers,
  indexer: async () =>
    notBehind(await heightOf('select max(height) as height from ledger.block', env.DATABASE_URL), await ledgerHeight()),
  // The last block that the worker has followed, and the last one that it could have followed.
  worker: async () => {
    const { SYSTEM_DATABASE_URL, SYSTEM_DATABASE_PASSWORD, DATABASE_URL } = env
    const own = SYSTEM_DATABASE_URL ?? DATABASE_URL ?? ''
    const url = SYSTEM_DATABASE_PASSWORD === undefined ? own : withPassword(own, SYSTEM_DATABASE_PASSWORD)
    notBehind(
      await heightOf('select max(block) as height from service.follower_cursor', url),
      await heightOf('select max(block) as height from ledger.event', url),
    )
  },
}

async function httpAnswers(url: string): Promise<void> {
  const { ok, status } = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) })
  if (!ok) throw new Error(`${url} answers ${status}`)
}

/** Asks at the signer's socket, or at its TCP port in this container; with TLS it shows the signer's own certificate. */
function signerAnswers(): Promise<void> {
  const { SIGNER_SOCKET, SIGNER_HOST, SIGNER_PORT, SIGNER_TOKEN, SIGNER_TLS_CERT_FILE } = env
  const asks = { path: '/health', timeout: PATIENCE_MS, agent: false } as const
  if (SIGNER_SOCKET) return answers(request({ ...asks, socketPath: SIGNER_SOCKET }))
  if (!SIGNER_PORT) throw new Error('neither SIGNER_SOCKET nor SIGNER_PORT is set')
  const host = EVERY_ADDRESS[SIGNER_HOST ?? ''] ?? SIGNER_HOST ?? '127.0.0.1'
  const headers = { authorization: `Bearer ${SIGNER_TOKEN}` }
  const door = { ...asks, host, port: SIGNER_PORT, headers }
  if (!SIGNER_TLS_CERT_FILE) return answers(request(door))
  const pem = (file: string | undefined): Buffer => readFileSync(file ?? '')
  const [cert, key, ca] = [pem(SIGNER_TLS_CERT_FILE), pem(env.SIGNER_TLS_KEY_FILE), pem(env.SIGNER_TLS_CA_FILE)]
  // The certificate names the address at which callers reach it.
  return answers(requestByTls({ ...door, cert, key, ca, checkServerIdentity: () => undefined }))
}

/** A process that listens at these addresses answers at loopback too. */
const EVERY_ADDRESS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

function answers(asked: ClientRequest): Promise<void> {
  return new Promise((resolve, reject) => {
    asked.on('response', (answer) => {
      answer.resume()
      if (answer.statusCode === 200) resolve()
      else reject(new Error(`the signer answers ${answer.statusCode}`))
    })
    asked.on('timeout', () => asked.destroy(new Error('the signer does not answer')))
    asked.on('error', reject)
    asked.end()
  })
}

async function heightOf(query: string, connectionString: string | undefined): Promise<number> {
  // A URL without a password takes that of PGPASSWORD.
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: PATIENCE_MS, query_timeout: PATIENCE_MS })
  client.on('error', () => undefined)
  await client.connect()
  try {
    const { rows } = await client.query<{ height: number | null }>(query)
    return rows[0]?.height ?? 0
  } finally {
    await client.end()
  }
}

async function ledgerHeight(): Promise<number> {
  const urls = ledgerUrls({ LEDGER_URL: env.LEDGER_URL, LEDGER_URLS: env.LEDGER_URLS })
  const heights = await Promise.allSettled(urls.map((url) => heightAt(url.replace(/^ws/, 'http'))))
  const known = heights.flatMap((height) => (height.status === 'fulfilled' ? height.value : []))
  if (known.length === 0) throw new Error('the ledger does not answer')
  return Math.max(...known)
}

async function heightAt(url: string): Promise<number> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'chain_getHeader', params: [] })
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(PATIENCE_MS) })
  const { result }: { result?: { number?: string } } = JSON.parse(await answer.text())
  return Number(result?.number ?? 0)
}

function notBehind(height: number, head: number): void {
  if (head - height > MOST_BLOCKS_BEHIND) throw new Error(`it is at block ${height}, and the ledger at ${head}`)
}

const check = CHECKS[name]
try {
  if (check === undefined) throw new Error(`no such process: ${Object.keys(CHECKS).join(', ')}`)
  await check()
} catch (error) {
  console.error(`${name}: ${messageOf(error)}`)
  process.exitCode = 1
}
