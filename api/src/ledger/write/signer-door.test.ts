import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { readConfig } from '../../config.js'
import { createLog } from '../../platform/process/log.js'
import {
  type ScratchDatabase,
  serviceDatabase,
  testContext,
  testTeam,
} from '../../platform/testing/scratch-database.js'
import { relayActions } from './relay.js'
import { openSigner, type SignerDoor } from './signer-door.js'
import { startJob } from './start-job.js'

const main = fileURLToPath(new URL('../../../../signer/dist/main.js', import.meta.url))
let scratch: ScratchDatabase
let folder: string
let child: ChildProcess
let signer: SignerDoor
beforeAll(async () => {
  scratch = await serviceDatabase()
  folder = await mkdtemp(join(tmpdir(), 'door-'))
  const env = {
    ...process.env,
    ACCREDIT_SUPERVISED: '1',
    DATABASE_URL: scratch.adminUrl,
    MASTER_KEY_FILE: join(folder, 'master.key'),
    SIGNER_SOCKET: join(folder, 'signer.sock'),
    // There is no ledger here: the signer opens its door before it reaches one.
    LEDGER_URL: 'ws://127.0.0.1:9',
    LOG_LEVEL: 'silent',
    SIGNER_CAPABILITIES: 'keys,act',
    SIGNER_ACT_PER_MINUTE: '2',
  }
  await once(spawn(process.execPath, [main, 'init'], { env, stdio: 'ignore' }), 'exit')
  child = spawn(process.execPath, [main], { env, stdio: ['pipe', 'ignore', 'inherit'] })
  signer = openSigner(readConfig({ DATABASE_URL: scratch.tenantUrl, SIGNER_SOCKET: env.SIGNER_SOCKET }))
  await vi.waitFor(() => signer.health(), { timeout: 60_000 })
})
afterAll(async () => {
  await signer.close()
  child.kill('SIGTERM')
  await once(child, 'exit')
  await scratch.close()
  await rm(folder, { recursive: true })
})

test('past the signer’s cap actions wait: they are not refused', async () => {
  const ctx = testContext(scratch, await testTeam(scratch.db))
  const action = { kind: 'dispatch' as const, keyId: 1, keyRef: 'r', calls: [new Uint8Array([1])] }
  const parts = ['a', 'b', 'c'].map((name) => ({
    did: `did:svc:${name}`,
    action: { ...action, did: `did:svc:${name}` },
  }))
  await ctx.db.transaction(ctx.scope, (tx) => startJob(tx, ctx, { kind: 'x', parts }))
  const relay = () =>
    relayActions({ db: scratch.db, signer, log: createLog('silent', 'test'), deriveKey: ctx.deriveKey })
  await expect(relay()).rejects.toMatchObject({ status: 429, type: 'rate_limited', headers: { 'Retry-After': '60' } })
  const states = await scratch.db.read('system', (r) => r.selectFrom('ledger_actions').select('state').execute())
  expect(states).toEqual(parts.map(() => ({ state: 'pending' })))
})

test('without a ledger the signer is there, and the ledger is what is missing', async () => {
  await expect(signer.chainStatus()).rejects.toMatchObject({
    status: 503,
    type: 'ledger_unavailable',
    message: 'The ledger cannot be reached; try again',
  })
})

test('a request is not at fault for what the signer does not let the service do, or has lost', async () => {
  await expect(signer.sign([{ keyRef: 'r', bytes: new Uint8Array() }])).rejects.toMatchObject({
    status: 503,
    type: 'unavailable',
    message: expect.stringContaining('does not grant sign'),
  })
  await expect(signer.bindKeys('lost')).rejects.toMatchObject({ status: 503, type: 'unavailable' })
  await expect(signer.exportKeys(['r'])).rejects.toMatchObject({ status: 403, type: 'capability_missing' })
})
