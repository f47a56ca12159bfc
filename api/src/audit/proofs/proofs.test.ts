import { parseDid } from '@accredit/chain'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sampleNetwork } from '../../../../chain/client/src/proof/testing/sample-bundle.js'
import {
  didNamed,
  REGISTRY,
  REMOVED_REGISTRY,
  SCHEMA,
  STATUS_LIST,
  sampleLedger,
} from '../../../../chain/client/src/proof/testing/sample-ledger.js'
import { verifyProof } from '../../../../chain/client/src/proof/verify-proof.js'
import { buildApp } from '../../app.js'
import { commonLoop } from '../../dids/loop.testing.js'
import { audit } from '../operations.js'
import { ASKED, genesis, network, type RecordedWorld, recordedWorld } from './testing.js'

const university = didNamed('university')
const bare = (id: string): string => id.slice(2).toUpperCase()
const authorizationOf = (did: string, [registry, schema]: readonly [string, string] = [REGISTRY, SCHEMA]) =>
  `/trust-registries/${registry}/authorization/proof?did=${did}&schema=${schema}&role=issuer`

/** Each route with what its bundle proves. */
const ROUTES: readonly [url: string, answer: object][] = [
  [authorizationOf(university), { authorized: true, reason: 'direct' }],
  [authorizationOf(didNamed('employer'), [bare(REGISTRY), bare(SCHEMA)]), { authorized: false, reason: 'not_listed' }],
  [`/trust-registries/${REGISTRY}/proof?`, { state: 'active', name: 'Universities' }],
  [`/trust-registries/${bare(REMOVED_REGISTRY)}/proof?`, { state: 'removed' }],
  [`/dids/${university}/proof?`, { state: 'active' }],
  [`/dids/${university}/keys/1/proof?`, { state: 'in_use' }],
  [`/dids/${university}/keys/3/proof?`, { state: 'revoked' }],
  [`/registries/${bare(STATUS_LIST)}/status/2053/proof?`, { state: 'active', revoked: true }],
]

describe('on a network of validators', () => {
  let world: RecordedWorld
  beforeAll(async () => {
    world = await recordedWorld()
  })
  afterAll(() => world?.close())

  test.each(ROUTES)('GET %s is proved to whoever knows the genesis hash', async (url, answer) => {
    const { statusCode, headers, body } = await world.app.inject(`${url}&at=${ASKED}`)
    expect(statusCode, body).toBe(200)
    expect(headers).toMatchObject({
      'accredit-block': String(ASKED),
      'accredit-final': 'true',
      'content-type': expect.stringMatching(/^application\/json/),
    })
    expect(verifyProof(body, genesis)).toMatchObject({
      answer,
      block: { number: ASKED, hash: network.block(ASKED).hash },
    })
  })

  test('an instant means the last block at or before it', async () => {
    const then = await world.app.inject(`/trust-registries/${REGISTRY}/proof?at=2026-03-01T00:00:13Z`)
    expect(verifyProof(then.body, genesis).block).toMatchObject({ number: 4, time: '2026-03-01T00:00:12.000Z' })
  })

  test('a bundle is kept where its block can never be another one, and is not proved again', async () => {
    const past = await recordedWorld()
    const url = `/trust-registries/${REGISTRY}/proof?at=${ASKED}`
    const first = await past.app.inject(url)
    expect(first.headers['cache-control']).toMatch(/immutable/)
    await past.endProving()
    expect((await past.app.inject(url)).body).toBe(first.body)
    expect((await past.app.inject(`/dids/${university}/proof?at=${ASKED}`)).statusCode).toBe(503)
    await past.close()
  })

  test('without a point the newest final block is meant, and the bundle is not kept', async () => {
    const present = await recordedWorld({ final: ASKED })
    const { headers, body } = await present.app.inject(`/trust-registries/${REGISTRY}/proof`)
    expect(verifyProof(body, genesis).block.number).toBe(ASKED)
    expect(headers['cache-control']).toBe('no-cache')
    await present.close()
  })

  test('points that are not final or in the future are refused as elsewhere, and genesis needs no proof', async () => {
    const ask = async (at: string) => {
      const answer = await world.app.inject(`/dids/${university}/proof?at=${at}`)
      return [answer.statusCode, answer.json().type]
    }
    expect(await ask('6')).toEqual([400, 'invalid_request'])
    expect(await ask('2026-03-02T00:00:00Z')).toEqual([400, 'invalid_request'])
    expect(await ask('0')).toEqual([404, 'not_found'])
  })

  test('a question that the ledger holds nothing about is refused with the reason', async () => {
    const ask = async (url: string) => (await world.app.inject(url)).statusCode
    const key = didNamed('delegateOfSuspended')
    expect(parseDid(key)).toBeDefined()
    expect(await ask(`/dids/${key}/proof`)).toBe(400)
    expect(await ask('/dids/did:web:example.org/keys/1/proof')).toBe(400)
    expect(await ask('/trust-registries/nobody-has-this-slug/proof')).toBe(404)
    expect(await ask('/registries/not-an-id/status/1/proof')).toBe(404)
    expect(await ask(`/dids/${university}/keys/0/proof`)).toBe(400)
  })
})

test('a proof that no verifier would read is refused with what it is made of, and is not asked for again', async () => {
  const chain = sampleNetwork(sampleLedger({ registryName: 'a'.repeat(250_000) }))
  const { app, close } = await recordedWorld({ chain })
  const answer = await app.inject(`/trust-registries/${REGISTRY}/proof?at=${ASKED}`)
  expect([answer.statusCode, answer.headers['retry-after'], answer.json()]).toEqual([
    400,
    undefined,
    {
      status: 400,
      type: 'proof_too_large',
      message: expect.stringMatching(
        /^A proof has at most 1000000 bytes, .* takes 1 hand-overs of validators and \d+ nodes/,
      ),
    },
  ])
  const { paths } = (await app.inject('/openapi.json')).json()
  for (const path of Object.keys(paths).filter((path) => path.endsWith('/proof')))
    expect([path, paths[path].get.description]).toEqual([path, expect.stringContaining('400 proof_too_large')])
  await close()
})

describe('a node that lacks something', () => {
  test('a block that only the index has is asked for again later, and so is one without votes', async () => {
    const behind = await recordedWorld({ final: 6 })
    const unjustified = await recordedWorld({ isJustified: false })
    const ask = async ({ app }: RecordedWorld, at: number) =>
      (await app.inject(`/dids/${university}/proof?at=${at}`)).json()
    expect(await ask(behind, 6)).toMatchObject({ type: 'ledger_unavailable', message: expect.stringMatching(/yet/) })
    expect(await ask(unjustified, ASKED)).toMatchObject({
      type: 'ledger_unavailable',
      message: expect.stringContaining('keeps no justification'),
    })
    await Promise.all([behind.close(), unjustified.close()])
  })
})

describe('on an embedded ledger', () => {
  test('no route proves anything, and each tells the reason', async () => {
    const { environment } = await commonLoop()
    const app = await buildApp(environment, [audit])
    for (const [url] of ROUTES) {
      const answer = await app.inject(url)
      expect([url, answer.statusCode, answer.json().type]).toEqual([url, 501, 'proofs_not_available'])
      expect(answer.json().message).toContain('embedded ledger')
    }
    await app.close()
  })
})
