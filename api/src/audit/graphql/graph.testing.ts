import { expect } from 'vitest'
import { buildApp } from '../../app.js'
import { indexedDatabase, type TestIndex, testIndex } from '../../ledger/testing/test-index.js'
import { forAllTests } from '../../platform/testing/for-all-tests.js'
import { testEnvironment } from '../../platform/testing/scratch-database.js'
import { audit } from '../operations.js'
import { convener, delegate, id, issuer, list, registry, schema } from '../testing.js'
import { RESPONSE_TYPE } from './refusals.js'

export const clock = { now: () => new Date('2026-01-01T00:01:00Z') }

/** The graph of a ledger of twelve blocks, with four registries, for all tests of a file, and how it is asked. */
export function graphWorld() {
  const opened = forAllTests(async () => {
    const scratch = await indexedDatabase()
    const ledger = await testIndex(scratch)
    await ledger.blocks(12, { start: new Date('2026-01-01T00:00:00Z') })
    await fill(ledger)
    const app = await buildApp(testEnvironment(scratch, { index: ledger.index, clock }), [audit])
    const close = async () => {
      await app.close()
      await ledger.close()
      await scratch.close()
    }
    return { app, ledger, close }
  })
  const post = (payload: object | string, accept = 'application/json') =>
    opened().app.inject({
      method: 'POST',
      url: '/graphql',
      payload,
      headers: { accept, 'content-type': 'application/json' },
    })
  return {
    opened,
    post,
    async ask(query: string, variables?: object) {
      const answer = await post({ query, variables })
      expect(answer.statusCode, answer.body).toBe(200)
      return answer.json().data
    },
    async refused(query: string, message: RegExp | string) {
      const [asJson, asResponse] = [await post({ query }), await post({ query }, RESPONSE_TYPE)]
      expect([asJson.statusCode, asResponse.statusCode], asJson.body).toEqual([200, 400])
      expect(asResponse.json()).toEqual(asJson.json())
      expect(Object.keys(asJson.json())).toEqual(['errors'])
      expect(asJson.json().errors[0].message).toMatch(message)
    },
  }
}

async function fill(ledger: TestIndex): Promise<void> {
  const since = (from_block: number, to_block: number | null = null) => ({ from_block, to_block })
  const facts = { convener, pending_convener: null, gov_framework: 'https://x#1', version: 1 }
  for (const one of [convener, issuer, delegate]) {
    await ledger.row('did', { ...since(1), did: one, submitter: 'payer' })
    const key = { key_id: 1, kind: 'Ed25519' as const, public_key: id(7), relationships: 7, end_reason: null }
    await ledger.row('did_key', { ...since(1), did: one, ...key })
  }
  await ledger.row('trust_registry', { ...since(2, 6), registry_id: registry, name: 'Old name', ...facts })
  await ledger.row('trust_registry', { ...since(6), registry_id: registry, name: 'New name', ...facts })
  for (const byte of [21, 22, 23])
    await ledger.row('trust_registry', { ...since(2), registry_id: id(byte), name: 'Other', ...facts })
  const place = { registry_id: registry, schema_id: schema }
  await ledger.row('registry_schema', { ...since(3), ...place, is_public: false })
  await ledger.row('issuer', { ...since(3), ...place, did: issuer, prices: {} })
  await ledger.row('verifier', { ...since(4), ...place, did: convener })
  await ledger.row('delegation', { ...since(5), registry_id: registry, issuer, issuer_order: '0x00', delegate })
  await ledger.row('suspension', { ...since(8), registry_id: registry, did: issuer })
  const policy = { policy: [issuer], creator: issuer, add_only: false, kind: 'StatusList' as const, length: 131_072 }
  await ledger.row('revocation_registry', { ...since(4), registry_id: list, ...policy, version: 1 })
  await ledger.row('status_bit', { ...since(9), registry_id: list, index: 5 })
  for (const block of [2, 3, 8]) {
    const act = { actor: convener, key_id: 1, submitter: 'payer', trust_registry_id: registry }
    await ledger.event({
      block,
      index: 1,
      name: 'TrustRegistry.IssuerSuspended',
      ...act,
      subject: issuer,
      after: { a: 1 },
    })
  }
  const long = { name: 'Did.ServiceSet', actor: delegate, subject: delegate, after: { endpoint: 'x'.repeat(150_000) } }
  await ledger.event({ block: 9, index: 1, ...long })
}
