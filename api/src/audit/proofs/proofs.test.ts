import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { parseDid } from '@accredit/chain'
import type { FastifyInstance } from 'fastify'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FIRST, SECOND, sampleNetwork } from '../../../../chain/client/src/proof/testing/sample-bundle.js'
import {
  didNamed,
  REGISTRY,
  REMOVED_REGISTRY,
  SCHEMA,
  STATUS_LIST,
} from '../../../../chain/client/src/proof/testing/sample-ledger.js'
import { justify } from '../../../../chain/client/src/proof/testing/test-network.js'
import { verifyProof } from '../../../../chain/client/src/proof/verify-proof.js'
import { openLedger } from '../../../../signer/src/actions/ledger.js'
import { openProofs } from '../../../../signer/src/actions/proofs.js'
import { addProofRoutes } from '../../../../signer/src/server/proof.routes.js'
import { openServer } from '../../../../signer/src/server/server.js'
import { serveNode } from '../../../../signer/test/proof-node.js'
import { buildApp } from '../../app.js'
import { commonLoop } from '../../dids/loop.testing.js'
import { indexedDatabase, testIndex } from '../../ledger/testing/test-index.js'
import { openSigner } from '../../ledger/write/signer-door.js'
import { folderOfTests } from '../../platform/testing/after-all.js'
import { testEnvironment } from '../../platform/testing/scratch-database.js'
import { audit } from '../operations.js'

/** Block 4 is the one with a state, and block 5 the newest final one. */
const ASKED = 4
const network = sampleNetwork()
const genesis = network.genesis.hash
const university = didNamed('university')
const authorizationOf = (did: string) =>
  `/trust-registries/${REGISTRY}/authorization/proof?did=${did}&schema=${SCHEMA}&role=issuer`

/** Each route with what its bundle proves. */
const ROUTES: readonly [url: string, answer: object][] = [
  [authorizationOf(university), { authorized: true, reason: 'direct' }],
  [authorizationOf(didNamed('employer')), { authorized: false, reason: 'not_listed' }],
  [`/trust-registries/${REGISTRY}/proof?`, { state: 'active', name: 'Universities' }],
  [`/trust-registries/${REMOVED_REGISTRY.slice(2).toUpperCase()}/proof?`, { state: 'removed' }],
  [`/dids/${university}/proof?`, { state: 'active' }],
  [`/dids/${university}/keys/1/proof?`, { state: 'in_use' }],
  [`/dids/${university}/keys/3/proof?`, { state: 'revoked' }],
  [`/registries/${STATUS_LIST}/status/2053/proof?`, { state: 'active', revoked: true }],
]

interface World {
  app: FastifyInstance
  close(): Promise<void>
}

/** The api and the signer's proofs over a node that serves a recorded chain of headers, states and votes. */
async function recordedWorld({ isJustified = true, final = 5 } = {}): Promise<World> {
  const scratch = await indexedDatabase()
  const ledger = await testIndex(scratch, CLOCK)
  await ledger.blocks(network.blocks.length - 1, { start: new Date('2026-03-01T00:00:00Z'), stepMs: 3_000 })
  for (const { number, hash } of network.blocks) await ledger.replaceBlock(number, hash)
  await ledger.finality({ height: final, hash: network.block(final).hash, rule: 'grandpa' })
  const [change, last] = [network.block(2), network.block(5)]
  const votes = new Map([
    [change.hash, justify(change, FIRST)],
    ...(isJustified ? [[last.hash, justify(last, SECOND.slice(0, 3), { setId: 1 })] as const] : []),
  ])
  const node = await serveNode(network, votes, last)
  const log = pino({ level: 'silent' })
  const reached = await openLedger([node.url], log)
  const door = openServer({}, log)
  addProofRoutes(door, { proofs: openProofs(() => reached) })
  const socket = join(mkdtempSync(join(folderOfTests(), 'proofs-')), 'signer.sock')
  await door.listen({ path: socket })
  const signer = openSigner({ signer: { socket, url: undefined, token: undefined, tls: undefined } })
  const app = await buildApp(testEnvironment(scratch, { index: ledger.index, clock: CLOCK, signer }), [audit])
  return {
    app,
    async close() {
      await app.close()
      await signer.close()
      await door.close()
      await reached.close()
      await node.close()
      await ledger.close()
      await scratch.close()
    },
  }
}
const CLOCK = { now: () => new Date('2026-03-01T00:00:20Z') }

describe('on a network of validators', () => {
  let world: World
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
    const url = `/trust-registries/${REGISTRY}/proof?at=${ASKED}`
    const first = await world.app.inject(url)
    expect(first.headers['cache-control']).toMatch(/immutable/)
    expect((await world.app.inject(url)).body).toBe(first.body)
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

describe('where the node of the signer lacks something', () => {
  test('a block that only the index has is asked for again later, and so is one without votes', async () => {
    const behind = await recordedWorld({ final: 6 })
    const unjustified = await recordedWorld({ isJustified: false })
    const ask = async ({ app }: World, at: number) => (await app.inject(`/dids/${university}/proof?at=${at}`)).json()
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
