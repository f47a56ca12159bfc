import { expect, it } from 'vitest'
import { degree, TestService } from '../credentials/loop.testing.js'
import type { Json, JsonObject } from '../formats/json.js'
import { forAllTests } from '../platform/testing/for-all-tests.js'

const world = forAllTests(async () => {
  const service = await TestService.open()
  const issuer = await service.did()
  return { service, issuer, close: () => service.close() }
})

const subject = { id: 'did:example:graduate', ...degree, grade: 1.25, year: 2024, isHonours: true, born: '2001-02-03' }

async function issued(algorithm: string, more: JsonObject = {}, request: JsonObject = {}): Promise<JsonObject> {
  const { service, issuer } = world()
  const { status, body } = await service.issue({ issuer, subject, ...more }, { algorithm, ...request })
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}

async function checksOf(data: Json, question: JsonObject = {}): Promise<Record<string, unknown>> {
  const { status, body } = await world().service.call('POST', '/verify', { data, ...question })
  expect(status, JSON.stringify(body)).toBe(200)
  const checks = body.checks.map(({ check, passed, reason }: Record<string, string>) => [check, reason ?? passed])
  return { verified: body.verified, ...Object.fromEntries(checks) }
}

it.each(['svcbbs', 'dockbbs', 'bbdt16'])('%s', async (algorithm) => {
  const vc = await issued(algorithm)
  console.log(JSON.stringify(vc, null, 1))
  console.log(await checksOf(vc))
})
