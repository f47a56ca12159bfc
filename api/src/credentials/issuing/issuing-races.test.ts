import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildApp } from '../../app.js'
import { signingKey } from '../../dids/did.store.js'
import type { Json } from '../../formats/json.js'
import { SignerRefused } from '../../ledger/write/signer-door.js'
import type { Environment } from '../../platform/http/context.js'
import { allServed } from '../../platform/testing/all-served.js'
import { degree, pathOf, TestService } from '../loop.testing.js'

let service: TestService
const apps: FastifyInstance[] = []

beforeAll(async () => {
  service = await TestService.open()
})
afterAll(async () => {
  for (const app of apps) await app.close()
  await service.close()
})

/** Issues through an api that differs from the common one in this. */
async function issuing(given: Partial<Environment>) {
  const app = await buildApp({ ...service.loop.environment, ...given }, allServed)
  apps.push(app)
  return async (credential: Json) => {
    const payload = { credential, revocable: true }
    const answer = await app.inject({
      method: 'POST',
      url: '/credentials',
      headers: { 'svc-api-token': service.team.apiKey },
      payload,
    })
    expect(answer.statusCode, answer.body).toBe(200)
    return answer.json()
  }
}

it('the second of two credentials that draw the same place draws another, and the first keeps its own', async () => {
  const issuer = await service.did()
  const { random } = service.loop.environment
  const draws = [7, 7, 7, 9]
  const place = (index: number) => new Uint8Array([0, 0, 0, index])
  const bytes = (length: number) => (length === 4 ? place(draws.shift() ?? 11) : random.bytes(length))
  const issue = await issuing({ random: { ...random, bytes } })
  const first = await issue({ subject: degree, issuer })
  const second = await issue({ subject: degree, issuer })
  const indexes = [first, second].map(({ credentialStatus }) => credentialStatus.statusListIndex)
  expect([indexes, draws]).toEqual([['7', '9'], []])
  const { body } = await service.call('POST', `${pathOf(second.id)}/revoke`)
  expect(await service.finished(body.id)).toBe('finalized')
  expect([await service.verified(first), await service.verified(second)]).toEqual([true, false])
  expect((await service.call('GET', pathOf(first.id))).body).toMatchObject({ index: '7', revoked: false })
})

it('a credential whose key was rotated and destroyed before it signed is signed by the new one', async () => {
  const issuer = await service.did()
  const { signer } = service.loop.environment
  const asked: string[] = []
  const sign: typeof signer.sign = async (items) => {
    asked.push(...items.map(({ keyRef }) => keyRef))
    if (asked.length > 1) return signer.sign(items)
    const { body } = await service.call('PATCH', `/dids/${issuer}`, { keyType: 'ed25519' })
    expect(await service.finished(body.id)).toBe('finalized')
    throw new SignerRefused(422, 'key_not_found', 'There is no such key, or it is damaged.')
  }
  const issue = await issuing({ signer: Object.assign(Object.create(signer), { sign }) })
  const issued = await issue({ subject: degree, issuer })
  expect(new Set(asked).size).toBe(2)
  expect(await service.verified(issued)).toBe(true)
})

it('a credential whose key was rotated after it signed and before it was stored is signed by the new one', async () => {
  const issuer = await service.did()
  const { signer } = service.loop.environment
  const signedBy: string[] = []
  const sign: typeof signer.sign = async (items) => {
    const signatures = await signer.sign(items)
    signedBy.push(...items.map(({ keyRef }) => keyRef))
    if (signedBy.length === 1) {
      const { status, body } = await service.call('PATCH', `/dids/${issuer}`, { keyType: 'ed25519' })
      expect(status, JSON.stringify(body)).toBe(200)
      expect(await service.finished(body.id)).toBe('finalized')
    }
    return signatures
  }
  const issue = await issuing({ signer: Object.assign(Object.create(signer), { sign }) })
  const issued = await issue({ subject: degree, issuer })
  expect(new Set(signedBy).size).toBe(2)
  const key = await service.scratch.db.read('system', (reader) => signingKey(reader, issuer))
  expect(key?.keyRef).toBe(signedBy.at(-1))
  expect(issued.proof.verificationMethod).toBe(key?.verificationMethod)
  expect((await service.call('GET', pathOf(issued.id))).body.issuerKey).toBe(key?.verificationMethod)
  expect(await service.verified(issued)).toBe(true)
})

it('a credential has the name and the key that its issuer got a moment ago', async () => {
  const issuer = await service.did()
  await service.call('POST', '/profiles', { did: issuer, name: 'Before' })
  const issued = async () => (await service.issue({ subject: degree, issuer })).body
  expect(await issued()).toMatchObject({ issuer: { name: 'Before' } })
  expect((await service.call('PATCH', `/profiles/${issuer}`, { name: 'After' })).status).toBe(200)
  const renamed = await issued()
  expect(renamed).toMatchObject({ issuer: { name: 'After' } })
  const { body } = await service.call('PATCH', `/dids/${issuer}`, { keyType: 'ed25519' })
  const rotated = await issued()
  expect(rotated.proof.verificationMethod).not.toBe(renamed.proof.verificationMethod)
  expect(await service.finished(body.id)).toBe('finalized')
  expect(await service.verified(rotated)).toBe(true)
})
