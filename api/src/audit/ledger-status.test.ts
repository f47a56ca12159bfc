import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { buildApp } from '../app.js'
import { type Loop, startLoop } from '../dids/loop.testing.js'
import { type ScratchDatabase, serviceDatabase } from '../platform/testing/scratch-database.js'
import { audit } from './operations.js'

let scratch: ScratchDatabase
let loop: Loop
let app: FastifyInstance
beforeAll(async () => {
  scratch = await serviceDatabase()
  loop = await startLoop(scratch, { FEE_ACCOUNT_MIN: '9'.repeat(30) })
  app = await buildApp(loop.environment, [audit])
})
afterAll(async () => {
  await app?.close()
  await loop?.close()
  await scratch?.close()
})

test('a fee account that is poor is told by status, readiness and metrics, and reading goes on', async () => {
  const ready = await app.inject({ url: '/ready' })
  expect(ready.json()).toMatchObject({ ready: true, checks: { signer: 'ok', fees: expect.stringMatching(/poor/) } })
  expect(ready.statusCode).toBe(200)
  expect((await app.inject({ url: '/metrics' })).body).toMatch(/^accredit_fee_account_poor 1$/m)
  const status = await app.inject({ url: '/ledger/status' })
  expect(status.json()).toMatchObject({ writing: 'waiting_for_fees', best: { block: expect.any(Number) } })
})

test('without the ledger readiness names it, and not the signer', async () => {
  await loop.stopLedger()
  const checks = { signer: 'ok', ledger: 'The ledger cannot be reached; try again' }
  await vi.waitFor(
    async () => {
      const ready = await app.inject({ url: '/ready' })
      expect(ready.statusCode).toBe(503)
      expect(ready.json()).toMatchObject({ ready: false, checks })
    },
    { timeout: 20_000 },
  )
  expect((await app.inject({ url: '/ledger/status' })).json()).toMatchObject({ writing: 'unavailable' })
})
