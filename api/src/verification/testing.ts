import { type Did, didSvc, hexOf, parseHex32 } from '@accredit/chain'
import type { FastifyInstance } from 'fastify'
import { expect } from 'vitest'
import { buildApp } from '../app.js'
import { documentTools } from '../credentials/issuing/document-tools.js'
import { DidDocuments } from '../dids/foreign/did-documents.js'
import type { FormatTools } from '../formats/credential-format.js'
import type { Json, JsonObject } from '../formats/json.js'
import { hashHere } from '../formats/json-ld/canonical/canonize.js'
import { contextFor } from '../formats/json-ld/contexts/credential-context.js'
import { NO_EXTRA_CONTEXTS } from '../formats/json-ld/contexts/document-loader.js'
import { addProof } from '../formats/json-ld/linked-data-proof.js'
import { ed25519Of2020 } from '../formats/json-ld/suites/ed25519-2020.js'
import { type TestKey, testKey, unsignedCredential } from '../formats/json-ld/testing.js'
import type { LedgerTables } from '../ledger/read/index-tables.js'
import { indexedDatabase, type TestIndex, testIndex } from '../ledger/testing/test-index.js'
import type { Environment } from '../platform/http/context.js'
import type { Served } from '../platform/http/operation.js'
import { type Answered, answerOf } from '../platform/testing/answered.js'
import { requestAs } from '../platform/testing/request-as.js'
import {
  type ScratchDatabase,
  type TestTeam,
  testContext,
  testEnvironment,
  testTeam,
} from '../platform/testing/scratch-database.js'
import { RemoteDocuments } from '../schemas/remote/remote-documents.js'
import type { Door } from './credential-checks.js'
import { verification } from './operations.js'
import { verificationDoor } from './verification-door.js'

export const START = new Date('2026-01-01T00:00:00.000Z')
const HEAD = 100

/** Returns the time at which block n was made. */
export const timeOf = (block: number): Date => new Date(START.getTime() + block * 1000)

export const hex32 = (n: number) => {
  const id = parseHex32(n.toString(16).padStart(64, '0'))
  if (!id) throw new Error('not 32 bytes')
  return id
}

/** A check as an answer names it. */
export interface ToldCheck {
  check: string
  passed: boolean | null
  reason?: string
  block?: number
  via?: string
}

export const checkOf = ({ body }: Answered, name: string): ToldCheck =>
  body.checks.find(({ check }: ToldCheck) => check === name)

/** Refused, for exactly this check and reason. */
export function expectFailure(answer: Answered, check: string, reason: string): void {
  expect(answer.status).toBe(200)
  expect(answer.body.verified).toBe(false)
  expect(checkOf(answer, check)).toMatchObject({ passed: false, reason })
  expect(answer.body.error).toEqual(expect.any(String))
}

export interface Life {
  kind?: LedgerTables['did_key']['kind']
  /** Of another key than the one that is answered. */
  publicKey?: Uint8Array
  from?: number
  to?: number | null
  endReason?: 'retired' | 'revoked' | 'deactivated' | null
  relationships?: number
}

/**
 * POST /verify over a real database whose ledger is written by the test, 100 blocks of a second each; now is block 100.
 */
export class TestVerifier {
  private dids = 0

  private constructor(
    readonly scratch: ScratchDatabase,
    readonly ledger: TestIndex,
    readonly app: FastifyInstance,
    readonly team: TestTeam,
    readonly environment: ReturnType<typeof testEnvironment>,
    /** The time that passed between block 100 and the clock. */
    readonly later: { seconds: number },
  ) {}

  static async open(more: readonly Served[] = [], given: Partial<Environment> = {}): Promise<TestVerifier> {
    const scratch = await indexedDatabase()
    const ledger = await testIndex(scratch)
    await ledger.blocks(HEAD, { start: START, stepMs: 1000 })
    const later = { seconds: 0 }
    const clock = { now: () => timeOf(HEAD + later.seconds) }
    const environment = testEnvironment(scratch, { index: ledger.index, clock, ...given })
    const app = await buildApp(environment, [...more, verification])
    return new TestVerifier(scratch, ledger, app, await testTeam(scratch.db), environment, later)
  }

  get apiUrl(): string {
    return this.environment.config.apiUrl
  }

  async close(): Promise<void> {
    await this.app.close()
    await this.ledger.close()
    await this.scratch.close()
  }

  /** The documents of DIDs elsewhere as a request to verify has them. */
  didDocuments(): DidDocuments {
    return new DidDocuments({ ...this.environment, team: this.team.team })
  }

  /** The credentials as a request to verify has them. */
  remoteDocuments(): RemoteDocuments {
    const { team } = this.team
    return new RemoteDocuments({ ...this.environment, team, scope: { teams: [team], actor: 'a test' } }, false)
  }

  /** The tools of a format, as a request has them. */
  tools(): FormatTools {
    const { db } = this.environment
    return documentTools({ ...this.environment, team: this.team.team }, { db, remoteDocuments: this.remoteDocuments() })
  }

  /** The services that the checks of a request may use. */
  door(): Door {
    return verificationDoor(testContext(this.scratch, this.team, this.environment))
  }

  async verify(payload: Json): Promise<Answered> {
    return this.post('/verify', payload)
  }

  /** POST /verify about a point in time. */
  at(data: Json, at: Json, more: JsonObject = {}): Promise<Answered> {
    return this.verify({ data, at, ...more })
  }

  async post(path: string, payload: Json): Promise<Answered> {
    return answerOf(await requestAs(this.app, this.team, 'POST', path, JSON.stringify(payload)))
  }

  /** A ledger DID with one key, `#keys-1`. */
  async did({
    from = 10,
    to = null,
    endReason = null,
    relationships = 7,
    kind = 'Ed25519',
    publicKey,
  }: Life = {}): Promise<{ did: Did; key: TestKey }> {
    const key = testKey()
    this.dids += 1
    const did = didSvc(hex32(this.dids))
    await this.ledger.row('did', {
      did,
      submitter: '5x',
      from_block: from,
      to_block: endReason === 'deactivated' ? to : null,
    })
    await this.ledger.row('did_key', {
      did,
      key_id: 1,
      kind,
      public_key: hexOf(publicKey ?? key.publicKey),
      relationships,
      from_block: from,
      to_block: to,
      end_reason: endReason,
    })
    return { did, key: { ...key, did, keyId: `${did}#keys-1` } }
  }

  /** A status list of this ledger. */
  async registry(
    id: number,
    { from = 10, to = null, policy = [] }: Life & { policy?: string[] } = {},
  ): Promise<string> {
    const registry_id = hex32(id)
    await this.ledger.row('revocation_registry', {
      registry_id,
      policy,
      creator: 'did:key:z6Mk',
      add_only: false,
      kind: 'StatusList',
      length: 131_072,
      version: 0,
      from_block: from,
      to_block: to,
    })
    return registry_id
  }

  statusEntry = (list: string, index: number | string): JsonObject => ({
    id: `${list}#${index}`,
    type: 'StatusList2021Entry',
    statusPurpose: 'revocation',
    statusListIndex: String(index),
    statusListCredential: list,
  })
}

type SignedDocument = JsonObject & { '@context': Json[]; proof: JsonObject }

interface Signing {
  created?: string
  more?: JsonObject
  contexts?: Json[]
}

/** A credential that `key` signed at block 50. */
export function credential(
  key: TestKey,
  { created = timeOf(50).toISOString(), more = {}, contexts = [] }: Signing = {},
): Promise<SignedDocument> {
  const unsigned = unsignedCredential(key.did, { issuanceDate: timeOf(49).toISOString(), ...more })
  const { context } = contextFor({
    credential: unsigned,
    given: contexts,
    added: ['https://w3id.org/security/suites/ed25519-2020/v1'],
    extra: NO_EXTRA_CONTEXTS,
  })
  const document: JsonObject & { '@context': Json[] } = { '@context': context, ...unsigned }
  return addProof({
    document,
    suite: ed25519Of2020,
    options: { created, verificationMethod: key.keyId, proofPurpose: 'assertionMethod' },
    hash: hashHere(NO_EXTRA_CONTEXTS),
    sign: key.sign,
  })
}

interface Presenting {
  challenge?: string
  domain?: string
  more?: JsonObject
  /** It does not say who holds it. */
  isNameless?: boolean
}

/** A presentation that `key` signed. */
export function presentation(
  key: TestKey,
  credentials: Json[],
  { challenge, domain, more = {}, isNameless = false }: Presenting = {},
) {
  return addProof({
    document: {
      '@context': ['https://www.w3.org/2018/credentials/v1', 'https://w3id.org/security/suites/ed25519-2020/v1'],
      id: 'urn:uuid:3a4b5c6d-0000-4000-8000-000000000001',
      type: ['VerifiablePresentation'],
      ...(!isNameless && { holder: key.did }),
      verifiableCredential: credentials,
      ...more,
    },
    suite: ed25519Of2020,
    options: {
      created: timeOf(60).toISOString(),
      verificationMethod: key.keyId,
      proofPurpose: 'authentication',
      ...(challenge !== undefined && { challenge }),
      ...(domain !== undefined && { domain }),
    },
    hash: hashHere(NO_EXTRA_CONTEXTS),
    sign: key.sign,
  })
}
