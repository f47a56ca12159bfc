import { join } from 'node:path'
import { didSvc, hex32Of, schemaId } from '@accredit/chain'
import type { FastifyInstance } from 'fastify'
import { buildApp } from '../app.js'
import { indexedDatabase, type TestIndex, testIndex } from '../ledger/testing/test-index.js'
import { openSigner } from '../ledger/write/signer-door.js'
import type { Database } from '../platform/database/database.js'
import type { Served } from '../platform/http/operation.js'
import type { Clock } from '../platform/process/clock.js'
import { forAllTests } from '../platform/testing/for-all-tests.js'
import { testEnvironment, testTeam } from '../platform/testing/scratch-database.js'
import { audit } from './operations.js'

export const id = (byte: number) => hex32Of(new Uint8Array(32).fill(byte))
export const did = (byte: number) => didSvc(id(byte))
export const [convener, issuer, delegate] = [did(1), did(2), did(3)]
export const [registry, list] = [id(20), id(30)]
export const SCHEMA_URI = 'https://schemas.example/Degree.json'
export const schema = schemaId(SCHEMA_URI)
export const LAST = 12

/**
 * A registry of which twelve blocks tell, for all tests of a file: its issuer was suspended from block 8 to 10 and has
 * a delegate. The signer is another process, and not there.
 */
export function auditWorld(capabilities: readonly Served[] = [audit]) {
  const opened = forAllTests(() => openWorld(capabilities))
  return {
    get app() {
      return opened().app
    },
    get ledger() {
      return opened().ledger
    },
    get clock() {
      return opened().clock
    },
    get apiKey() {
      return opened().apiKey
    },
    get db() {
      return opened().db
    },
    get: (url: string, headers: Record<string, string> = {}) => opened().app.inject({ url, headers }),
  }
}

interface MovableClock extends Clock {
  /** Sets the clock to so many seconds after the first block. */
  set(seconds: number): void
}

function movableClock(): MovableClock {
  let now = new Date('2026-01-01T00:01:00Z')
  return {
    now: () => now,
    set(seconds) {
      now = new Date(Date.parse('2026-01-01T00:00:00Z') + seconds * 1000)
    },
  }
}

interface World {
  app: FastifyInstance
  ledger: TestIndex
  clock: MovableClock
  apiKey: string
  db: Database
  close(): Promise<void>
}

async function openWorld(capabilities: readonly Served[]): Promise<World> {
  const scratch = await indexedDatabase()
  const clock = movableClock()
  const ledger = await testIndex(scratch, clock)
  await ledger.blocks(LAST, { start: new Date('2026-01-01T00:00:00Z') })
  await projections(ledger)
  await events(ledger)
  const nobody = {
    socket: join(import.meta.dirname, 'no-such-socket'),
    url: undefined,
    token: undefined,
    tls: undefined,
  }
  const { apiKey } = await testTeam(scratch.db)
  const signer = openSigner({ signer: nobody })
  const app = await buildApp(testEnvironment(scratch, { index: ledger.index, clock, signer }), capabilities)
  return {
    app,
    ledger,
    clock,
    apiKey,
    db: scratch.db,
    async close() {
      await app.close()
      await signer.close()
      await ledger.close()
      await scratch.close()
    },
  }
}

async function projections(ledger: TestIndex): Promise<void> {
  const since = (from_block: number, to_block: number | null = null) => ({ from_block, to_block })
  for (const one of [convener, issuer, delegate]) await ledger.row('did', { ...since(1), did: one, submitter: 'payer' })
  const facts = { convener, pending_convener: null, name: 'Universities', gov_framework: 'https://x#1', version: 1 }
  await ledger.row('trust_registry', { ...since(2), registry_id: registry, ...facts })
  await ledger.row('registry_schema', { ...since(3), registry_id: registry, schema_id: schema, is_public: false })
  const place = { registry_id: registry, schema_id: schema, did: issuer }
  await ledger.row('issuer', { ...since(3, 5), ...place, prices: {} })
  await ledger.row('issuer', { ...since(5), ...place, prices: { USD: '5' } })
  await ledger.row('delegation', { ...since(6), registry_id: registry, issuer, issuer_order: '0x00', delegate })
  await ledger.row('suspension', { ...since(8, 10), registry_id: registry, did: issuer })
  const policy = { policy: [issuer], creator: issuer, add_only: false, kind: 'StatusList' as const, length: 131_072 }
  await ledger.row('revocation_registry', { ...since(4), registry_id: list, ...policy, version: 1 })
}

/** The facts of an event of the registry in which its convener acts. */
export const inRegistry = {
  trust_registry_id: registry,
  actor: convener,
  key_id: 1,
  nonce: 1,
  call_hash: id(50),
  submitter: 'payer',
}

async function events(ledger: TestIndex): Promise<void> {
  const places = { ...inRegistry, schema_id: schema, subject: issuer }
  await ledger.event({ block: 1, index: 0, name: 'Did.Created', actor: issuer, subject: issuer })
  const made = { name: 'Universities, "all" of them' }
  await ledger.event({ block: 2, index: 1, name: 'TrustRegistry.TrustRegistryInitialized', ...inRegistry, after: made })
  await ledger.event({ block: 3, index: 1, name: 'TrustRegistry.IssuerChanged', ...places, after: { prices: {} } })
  await ledger.event({
    block: 4,
    index: 1,
    name: 'Revocation.RegistryCreated',
    actor: issuer,
    revocation_registry_id: list,
  })
  await ledger.event({ block: 5, index: 2, name: 'TrustRegistry.IssuerChanged', ...places, actor: issuer })
  const delegated = { ...inRegistry, actor: issuer, subject: delegate, after: { issuer } }
  await ledger.event({ block: 6, index: 1, name: 'TrustRegistry.DelegateAdded', ...delegated })
  await ledger.event({ block: 8, index: 1, name: 'TrustRegistry.IssuerSuspended', ...inRegistry, subject: issuer })
  await ledger.event({ block: 8, index: 2, name: 'TrustRegistry.IssuerSuspended', ...inRegistry, subject: delegate })
  await ledger.event({ block: 10, index: 1, name: 'TrustRegistry.IssuerUnsuspended', ...inRegistry, subject: issuer })
}
