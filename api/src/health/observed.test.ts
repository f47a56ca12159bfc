import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { freePort } from '../../../scripts/start/processes/ports.js'
import { type Loop, startLoop } from '../dids/loop.testing.js'
import { prepareQueue } from '../ledger/write/queue-schema.js'
import { prepareServiceKey } from '../platform/security/service-key.js'
import { PATIENT, type ScratchDatabase, serviceDatabase, testTeam } from '../platform/testing/scratch-database.js'
import { openReceiver } from '../webhooks/receiver.testing.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))

interface SentSpan {
  service: string
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
}

/** A receiver of OTLP over HTTP, as JSON. */
async function otlpReceiver() {
  const spans: SentSpan[] = []
  let text = ''
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      text += body
      for (const { resource, scopeSpans } of JSON.parse(body).resourceSpans) {
        const named = resource.attributes.find(({ key }: { key: string }) => key === 'service.name')
        for (const scope of scopeSpans)
          for (const span of scope.spans) spans.push({ ...span, service: named.value.stringValue })
      }
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { spans, text: () => text, url: `http://127.0.0.1:${port}`, close: () => server.close() }
}

const SETTINGS = [
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_BSP_SCHEDULE_DELAY',
  'SIGNER_METRICS_PORT',
  'INDEXER_METRICS_PORT',
]

let receiver: Awaited<ReturnType<typeof otlpReceiver>>
let scratch: ScratchDatabase
let loop: Loop
let folder: string
let apiUrl: string
let apiKey: string
let ports: { worker: number; signer: number; indexer: number }
const children: ChildProcess[] = []
const apiLines: string[] = []

/** Starts a process of the service; returns what it says when it is ready. */
async function start(file: string, env: Record<string, string>, lines: string[] = []): Promise<{ url?: string }> {
  const child = spawn(process.execPath, [file], {
    cwd: root,
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  })
  children.push(child)
  return new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error(`${file} ended`)))
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(line)
      if (line.includes('"ready"')) resolve(JSON.parse(line))
    })
  })
}

beforeAll(async () => {
  receiver = await otlpReceiver()
  ports = { worker: await freePort(), signer: await freePort(), indexer: await freePort() }
  // The processes of the loop get them from here.
  const values = [receiver.url, '100', String(ports.signer), String(ports.indexer)]
  for (const [index, name] of SETTINGS.entries()) process.env[name] = values[index]
  scratch = await serviceDatabase()
  await prepareQueue({ migrationUrl: scratch.adminUrl, systemUrl: scratch.systemUrl })
  folder = await mkdtemp(join(tmpdir(), 'accredit-observed-'))
  const keyFile = join(folder, 'key')
  // The key from which the tests derive theirs.
  await writeFile(keyFile, Buffer.alloc(32, 7), { mode: 0o600 })
  await prepareServiceKey(scratch.db, keyFile)
  loop = await startLoop(scratch)
  const common = {
    ...PATIENT,
    ACCREDIT_SUPERVISED: '1',
    DATABASE_URL: scratch.tenantUrl,
    SYSTEM_DATABASE_URL: scratch.systemUrl,
    SIGNER_SOCKET: loop.signerSocket,
    API_PORT: '0',
    FOLLOWER_POLL_MS: '500',
    SERVICE_KEY_FILE: keyFile,
    WEBHOOKS_TO_LOOPBACK: '1',
  }
  await start('api/dist/worker.js', { ...common, WORKER_METRICS_PORT: String(ports.worker) })
  apiUrl = (await start('api/dist/main.js', common, apiLines)).url ?? ''
  apiKey = (await testTeam(scratch.db)).apiKey
})
afterAll(async () => {
  for (const name of SETTINGS) delete process.env[name]
  for (const child of children) {
    child.kill('SIGTERM')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
  await loop?.close()
  await scratch?.close()
  await rm(folder, { recursive: true, force: true })
  receiver?.close()
})

const call = async (
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Record<string, unknown>> => {
  const response = await fetch(apiUrl + path, {
    method,
    headers: { 'svc-api-token': apiKey, 'content-type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  })
  expect(response.status).toBe(200)
  return (await response.json()) as Record<string, unknown>
}

const finalized = (id: unknown) =>
  vi.waitFor(async () => expect((await call('GET', `/jobs/${id}`)).status).toBe('finalized'), {
    timeout: 90_000,
    interval: 200,
  })

/** A web hook of the rest of a test. */
async function openHook(events: readonly string[]) {
  const receiver = await openReceiver()
  const { id } = await call('POST', '/webhooks', { url: receiver.url, events })
  onTestFinished(async () => {
    await fetch(`${apiUrl}/webhooks/${id}`, { method: 'DELETE', headers: { 'svc-api-token': apiKey } })
    await receiver.close()
  })
  return receiver
}

/** Returns the spans of a trace when it has all of these: the service and the name of each. */
async function spansOf(traceId: string, wanted: readonly (readonly [string, string])[]): Promise<SentSpan[]> {
  const own = () => receiver.spans.filter((span) => span.traceId === traceId)
  await vi.waitFor(
    () => expect(own().map(({ service, name }) => [service, name])).toEqual(expect.arrayContaining([...wanted])),
    { timeout: 30_000 },
  )
  return own()
}

/** The work on the ledger, from the worker to the end of its job. */
const ON_LEDGER = [
  ['accredit-worker', 'hand actions to the signer'],
  ['accredit-signer', 'sign actions'],
  ['accredit-indexer', 'index a block'],
  ['accredit-worker', 'end jobs'],
] as const

test('a DID is one trace, which its caller names, through api, worker, signer and indexer', async () => {
  const traceId = 'c0ffee00c0ffee00c0ffee00c0ffee00'
  const { id } = await call('POST', '/dids', {}, { traceparent: `00-${traceId}-00000000000000aa-01` })
  await finalized(id)
  const wanted = [['accredit-signer', 'POST /keys'], ...ON_LEDGER] as const
  const own = await spansOf(traceId, [['accredit-api', 'POST /dids'], ...wanted])
  const request = own.find(({ name }) => name === 'POST /dids')
  expect(request?.parentSpanId).toBe('00000000000000aa')
  for (const [, name] of wanted) {
    const span = own.find((one) => one.name === name)
    expect([name, span?.parentSpanId]).toEqual([name, request?.spanId])
  }
  // Its children alone are in the trace: those that poll are in none.
  expect(receiver.spans.filter(({ name }) => name.includes('/actions/states'))).toEqual([])
  expect(receiver.text()).not.toContain(apiKey)
})

test('a credential is one trace from its request to the receivers of its events, and so is its revocation', async () => {
  const events = ['credential_issued', 'registry_create', 'credential_revoke']
  const hooks = await openHook(events)
  const { id: made, did } = await call('POST', '/dids', {})
  await finalized(made)
  const told = ['accredit-worker', 'tell a web hook'] as const
  const credential = { issuer: did, type: ['DegreeCredential'], subject: { degree: 'Chemistry' } }

  // The first revocable credential of an issuer makes the registry that it stands in.
  const issuing = 'c0ffee00c0ffee00c0ffee00c0ffee01'
  const body = { revocable: true, credential }
  const issued = await call('POST', '/credentials', body, { traceparent: `00-${issuing}-00000000000000ab-01` })
  const ofIssuing = [['accredit-api', 'POST /credentials'], ['accredit-signer', 'POST /sign'], ...ON_LEDGER] as const
  const tellings = () =>
    receiver.spans.filter(({ traceId, name }) => traceId === issuing && name === 'tell a web hook').length
  await spansOf(issuing, [...ofIssuing, told])
  await vi.waitFor(() => expect(tellings()).toBe(2), { timeout: 30_000 })

  const revoking = 'c0ffee00c0ffee00c0ffee00c0ffee02'
  const path = `/credentials/${encodeURIComponent(String(issued.id))}/revoke`
  const { id: revoked } = await call('POST', path, {}, { traceparent: `00-${revoking}-00000000000000ac-01` })
  await finalized(revoked)
  await spansOf(revoking, [...ON_LEDGER, told])
  expect(hooks.received.map(({ event }) => event).sort()).toEqual([...events].sort())
  expect(receiver.text()).not.toContain('Chemistry')
})

test('credentials of one moment, which are stored together, are each in the trace of their own request', async () => {
  await openHook(['credential_issued'])
  const { id: made, did } = await call('POST', '/dids', {})
  await finalized(made)
  const credential = { issuer: did, type: ['DegreeCredential'], subject: { degree: 'Physics' } }
  const traces = Array.from({ length: 16 }, (_, i) => `c0ffee00c0ffee00c0ffee000000${String(1000 + i)}`)
  await Promise.all(
    traces.map((trace) =>
      call('POST', '/credentials', { credential }, { traceparent: `00-${trace}-00000000000000ad-01` }),
    ),
  )
  const told = () =>
    receiver.spans.flatMap(({ traceId, name }) =>
      name === 'tell a web hook' && traces.includes(traceId) ? [traceId] : [],
    )
  await vi.waitFor(() => expect(told().toSorted()).toEqual(traces), { timeout: 30_000 })
})

const metricsAt = async (port: number) => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()

test('each process serves its metrics to Prometheus', async () => {
  const { worker, signer, indexer } = ports
  const api = await (await fetch(`${apiUrl}/metrics`)).text()
  for (const line of [
    /^accredit_jobs_open\{status="in_progress"\} \d+$/m,
    /^accredit_jobs_stuck 0$/m,
    /^accredit_webhook_deliveries\{state="waiting"\} 0$/m,
    /^accredit_index_lag_seconds \d/m,
    /^accredit_follower_behind_blocks \d+$/m,
    /^accredit_database_connections\{pool="accredit",state="used"\} \d+$/m,
    /^nodejs_eventloop_lag_p99_seconds /m,
  ])
    expect(api).toMatch(line)
  expect(await metricsAt(worker)).toMatch(/^accredit_jobs_ended_total\{kind="did.create",status="finalized"\} [1-9]/m)
  expect(await metricsAt(worker)).toMatch(/^accredit_ledger_actions_relayed_total [1-9]/m)
  expect(await metricsAt(signer)).toMatch(
    /^accredit_signer_request_seconds_count\{route="\/keys",status="200"\} [1-9]/m,
  )
  expect(await metricsAt(signer)).toMatch(/^accredit_signer_ledger_connected 1$/m)
  expect(await metricsAt(signer)).toMatch(/^accredit_signer_followed_block [1-9]/m)
  expect(await metricsAt(indexer)).toMatch(/^accredit_indexer_block\{point="indexed"\} [1-9]/m)
  expect(await metricsAt(indexer)).toMatch(/^accredit_indexer_events_total [1-9]/m)
  expect((await fetch(`http://127.0.0.1:${signer}/keys`)).status).toBe(404)
})

test('a signal shows more in the log of a running process, and a second one less again', async () => {
  const api = children[1]
  const seen = (from: number) => apiLines.slice(from).filter((line) => line.includes('"/health"')).length
  const ask = () => fetch(`${apiUrl}/health`)
  const before = apiLines.length
  await ask()
  api?.kill('SIGUSR2')
  await vi.waitFor(() => expect(apiLines.slice(before).join()).toContain('the log has another level'), 20_000)
  expect(seen(before)).toBe(0)
  await ask()
  await vi.waitFor(() => expect(seen(before)).toBe(1), 20_000)
  const then = apiLines.length
  api?.kill('SIGUSR2')
  await vi.waitFor(() => expect(apiLines.slice(then).join()).toContain('the log has another level'), 20_000)
  await ask()
  await call('GET', '/jobs')
  await vi.waitFor(() => expect(apiLines.slice(then).join()).toContain('"/jobs"'), 20_000)
  expect(seen(then)).toBe(0)
})
