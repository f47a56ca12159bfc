/**
 * The typed door to the signer. Signatures that are asked for while others are on their way travel together. Throws
 * `SignerUnavailable` when the signer cannot be reached or cannot answer now (worth a retry) and `SignerRefused` when
 * it understood and refused (not worth one, except for status 429: it did too much within a minute).
 */
import { Buffer } from 'node:buffer'
import type { Question } from '@accredit/chain/proof'
import { batchLoader } from '@accredit/process/batch-loader'
import { traceparent } from '@accredit/process/tracing'
import type { Static, TSchema } from 'typebox'
import { Check } from 'typebox/schema'
import { Pool } from 'undici'
import * as wire from './wire.js'
import * as dry from './wire-dry-run.js'

export type {
  Action,
  ActionState,
  ChainStatus,
  CreateAction,
  DispatchAction,
  ExportedKey,
  FeeAccount,
  GivenKey,
  Health,
  HeldKind,
  KeyKind,
  MadeKey,
  Outcome,
  PalletError,
  State,
} from './wire.js'
export type { DryRunOutcome, LedgerChange, PrepareRequest, PrepareResponse } from './wire-dry-run.js'

export class SignerUnavailable extends Error {
  override readonly name = 'SignerUnavailable'
}

/** The signer is there, and no node of the ledger answers it. */
export class LedgerUnavailable extends SignerUnavailable {}

/** The ledger is there, and its node keeps no votes that make the block final. */
export class JustificationMissing extends LedgerUnavailable {}

/** The signer has as much of this work waiting as it takes: it is there, and will have room in a moment. */
export class SignerBusy extends SignerUnavailable {}

export class SignerRefused extends Error {
  override readonly name = 'SignerRefused'
  constructor(
    readonly status: number,
    readonly type: string,
    message: string,
  ) {
    super(message)
  }
}

/** Reads an action that was stored as JSON; undefined when it has not the shape of one. */
export const parseAction = (value: unknown): wire.Action | undefined => (Check(wire.Action, value) ? value : undefined)

export type SignerAddress =
  | { socket: string }
  /** `tls` holds PEM texts: this end's certificate and key, and the authority of the signer's. */
  | { url: string; token: string; tls?: { cert: string; key: string; ca: string } | undefined }

export interface SignRequest {
  keyRef: string
  bytes: Uint8Array
}

export interface SignerClient {
  /** Idempotent per handle: the same handle and kinds give the same keys. Shares take turns. */
  makeKeys<Kind extends wire.HeldKind = wire.KeyKind>(
    handle: string,
    kinds: Kind[],
    share?: string,
  ): Promise<wire.MadeKey<Kind>[]>
  /** Takes private keys, 32 bytes each; tells their public keys in the same order. Idempotent per handle likewise. */
  importKeys(handle: string, keys: wire.GivenKey[], share?: string): Promise<wire.MadeKey[]>
  /**
   * Marks the handle's keys as used; unbound ones are deleted after 24 hours. Refused as `keys_lost` where it has none.
   */
  bindKeys(handle: string): Promise<void>
  /** Lets keys sign no more; those of the kind BBDT16 still check what they made. */
  retireKeys(keyRefs: string[]): Promise<void>
  destroyKeys(keyRefs: string[]): Promise<void>
  /** Private keys (hex); only where the signer grants the capability `export`. */
  exportKeys(keyRefs: string[]): Promise<wire.ExportedKey[]>
  /** Signatures (64 bytes) by keys of the kinds Ed25519, Secp256k1 and Sr25519, in the order of the requests. */
  sign(requests: SignRequest[]): Promise<Uint8Array[]>
  /**
   * One signature over field elements (32 bytes each): many by a key of the BBS family, one by a key of Baby Jubjub.
   * Shares take turns; without one the key is its own share.
   * @throws SignerBusy
   */
  signMessages(keyRef: string, messages: readonly Uint8Array[], share?: string): Promise<Uint8Array>
  /** Tells whether a key of the kind BBDT16 made this. Shares take turns likewise. @throws SignerBusy */
  verifyKeyed(keyRef: string, keyed: Keyed, share?: string): Promise<boolean>
  /** Work with accumulators whose key, of the kind VbAccumulator, is here: nothing of them is kept. */
  accumulator: {
    /**
     * The value without these members, or with them again, and what holders update their witnesses with.
     * @throws SignerBusy
     */
    update(asked: AccumulatorUpdate): Promise<{ accumulated: string; witnessUpdateInfo: string }>
    /** A witness of each member, whether it was removed or not. @throws SignerBusy */
    witness(asked: { keyRef: string; accumulated: string; members: readonly number[] }): Promise<string[]>
  }
  /** Stores actions. Idempotent per id; the same id with other content is refused. */
  submitActions(actions: wire.Action[]): Promise<{ accepted: string[] }>
  /** States of the ids that are known; unknown ones are left out. */
  actionStates(ids: string[]): Promise<wire.ActionState[]>
  /** Returns the effects of actions; `before` are earlier actions of their DIDs that may not have arrived yet. */
  dryRun(actions: wire.Action[], before: wire.Action[]): Promise<dry.DryRunOutcome[]>
  /**
   * The keys for dry runs: never stored, forgotten after a minute. A key that is nobody's signs in place of real keys.
   */
  throwaway: Pick<SignerClient, 'makeKeys' | 'importKeys' | 'sign'>
  /** Returns the bytes that a key elsewhere has to sign, so that this signer may submit its action to the ledger. */
  prepare(request: dry.PrepareRequest): Promise<dry.PrepareResponse>
  /**
   * Returns a bundle, as JSON, that proves the answer to a question at a final block (its hash). Refused with status 501
   * and type `proofs_not_available` by a ledger that has no proofs, with 404 where the block is not final, and with 422
   * and `proof_too_large` where no verifier would read it. Shares take turns.
   * @throws SignerBusy
   */
  prove(question: Question, block: string, share?: string): Promise<string>
  chainStatus(): Promise<wire.ChainStatus>
  feeAccount(): Promise<wire.FeeAccount>
  health(): Promise<wire.Health>
  close(): Promise<void>
}

/** Something that only the key that made it can check: a MAC over messages, or a holder's proof of one. */
export type Keyed = { messages: readonly Uint8Array[]; mac: Uint8Array } | { proof: Uint8Array }

/** A change of an accumulator from its present value, a point (0x): at most 1,000 members each. */
export interface AccumulatorUpdate {
  keyRef: string
  accumulated: string
  additions: readonly number[]
  removals: readonly number[]
}

/** Requests that come while a trip is on its way share the next one: a trip costs as much as several signatures. */
const SIGNATURE_TRIPS = { most: 500 }

export function signerClient(address: SignerAddress): SignerClient {
  const call = caller(address)
  return {
    ...keysUnder(call, ''),
    async bindKeys(handle) {
      await call('POST', '/keys/bind', wire.Done, { handle })
    },
    async retireKeys(keyRefs) {
      if (keyRefs.length > 0) await call('POST', '/keys/retire', wire.Done, { keyRefs })
    },
    async destroyKeys(keyRefs) {
      if (keyRefs.length > 0) await call('POST', '/keys/destroy', wire.Done, { keyRefs })
    },
    async exportKeys(keyRefs) {
      return (await call('POST', '/keys/export', wire.ExportKeysResponse, { keyRefs })).keys
    },
    async signMessages(keyRef, messages, share) {
      const body = { keyRef, messages: messages.map(base64), share }
      const { signature } = await call('POST', '/sign-messages', wire.SignMessagesResponse, body)
      return new Uint8Array(Buffer.from(signature, 'base64'))
    },
    async verifyKeyed(keyRef, keyed, share) {
      const given =
        'proof' in keyed
          ? { proof: base64(keyed.proof) }
          : { messages: keyed.messages.map(base64), mac: base64(keyed.mac) }
      return (await call('POST', '/verify-keyed', wire.VerifyKeyedResponse, { keyRef, ...given, share })).isValid
    },
    accumulator: {
      update: (asked) => call('POST', '/accumulators/update', wire.UpdateAccumulatorResponse, asked),
      async witness(asked) {
        return (await call('POST', '/accumulators/witness', wire.AccumulatorWitnessResponse, asked)).witnesses
      },
    },
    async submitActions(actions) {
      if (actions.length === 0) return { accepted: [] }
      return call('POST', '/actions', wire.SubmitActionsResponse, { actions })
    },
    async actionStates(ids) {
      if (ids.length === 0) return []
      return (await call('POST', '/actions/states', wire.ActionStatesResponse, { ids })).states
    },
    async dryRun(actions, before) {
      return (await call('POST', '/dry-run', dry.DryRunResponse, { actions, before })).outcomes
    },
    throwaway: keysUnder(call, '/dry-run'),
    prepare: (request) => call('POST', '/prepare', dry.PrepareResponse, request),
    async prove(question, block, share) {
      return (await call('POST', '/proof', wire.ProofResponse, { question, block, share })).bundle
    },
    chainStatus: () => call('GET', '/chain', wire.ChainStatus),
    feeAccount: () => call('GET', '/fee-account', wire.FeeAccount),
    health: () => call('GET', '/health', wire.Health),
    close: () => call.close(),
  }
}

/** Work of a trace is the signer's too. Signatures of one tick travel in the trace of the first of them. */
function traced(): { traceparent?: string } {
  const parent = traceparent()
  return parent === undefined ? {} : { traceparent: parent }
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

function keysUnder(call: Caller, path: string): SignerClient['throwaway'] {
  const sign = signatureQueue(call, `${path}/sign`)
  return {
    async makeKeys(handle, kinds, share) {
      const { keys } = await call('POST', `${path}/keys`, wire.MakeKeysResponse, { handle, kinds, share })
      return ofKinds(keys, kinds)
    },
    async importKeys(handle, keys, share) {
      const { keys: taken } = await call('POST', `${path}/keys/import`, wire.MakeKeysResponse, { handle, keys, share })
      return ofKinds(
        taken,
        keys.map(({ kind }) => kind),
      )
    },
    sign: (requests) => Promise.all(requests.map(sign)),
  }
}

function ofKinds<Kind extends wire.HeldKind>(
  keys: readonly wire.MadeKey<wire.HeldKind>[],
  kinds: readonly Kind[],
): wire.MadeKey<Kind>[] {
  const isAsked = (key: wire.MadeKey<wire.HeldKind>): key is wire.MadeKey<Kind> =>
    kinds.some((kind) => kind === key.kind)
  const asked = keys.filter(isAsked)
  if (asked.length < keys.length) throw new SignerUnavailable('The signer made keys of other kinds.')
  return asked
}

/** The ledger lacks something, and will lack it at the next attempt too. */
const NOT_IMPLEMENTED = 501

/** The errors of what cannot be answered now, by the type of the signer's answer. */
const LACKS: ReadonlyMap<string, typeof SignerUnavailable> = new Map([
  ['too_busy', SignerBusy],
  ['ledger_unavailable', LedgerUnavailable],
  ['justification_missing', JustificationMissing],
])

interface Caller {
  <Shape extends TSchema>(method: 'GET' | 'POST', path: string, shape: Shape, body?: unknown): Promise<Static<Shape>>
  close(): Promise<void>
}

function caller(address: SignerAddress): Caller {
  const options = { connections: 8, bodyTimeout: 30_000, headersTimeout: 30_000 }
  const pool =
    'socket' in address
      ? new Pool('http://signer', { ...options, socketPath: address.socket })
      : new Pool(address.url, { ...options, ...(address.tls && { connect: address.tls }) })
  const authorization = 'token' in address ? { authorization: `Bearer ${address.token}` } : {}

  async function exchange(method: 'GET' | 'POST', path: string, body: unknown) {
    try {
      const answer = await pool.request({
        method,
        path,
        headers: {
          ...authorization,
          ...traced(),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        body: body === undefined ? null : JSON.stringify(body),
      })
      return { status: answer.statusCode, value: await answer.body.json() }
    } catch (cause) {
      throw new SignerUnavailable('The signer cannot be reached.', { cause })
    }
  }

  async function call<Shape extends TSchema>(method: 'GET' | 'POST', path: string, shape: Shape, body?: unknown) {
    const { status, value } = await exchange(method, path, body)
    if (status === 200 && Check(shape, value)) return value
    const isRefusal = (status >= 400 && status < 500) || status === NOT_IMPLEMENTED
    if (isRefusal && Check(wire.Problem, value)) {
      throw new SignerRefused(status, value.type, value.message)
    }
    const Lack = status === 503 && Check(wire.Problem, value) ? LACKS.get(value.type) : undefined
    if (Lack && Check(wire.Problem, value)) throw new Lack(value.message)
    throw new SignerUnavailable(`The signer answered ${status} to ${method} ${path}.`)
  }
  return Object.assign(call, { close: () => pool.close() })
}

/** Sends the requests of one moment together, and gives each its own result. */
const signatureQueue = (call: Caller, path: string): ((request: SignRequest) => Promise<Uint8Array>) =>
  batchLoader<SignRequest, Uint8Array>(async (asked) => {
    const requests = asked.map(({ keyRef, bytes }) => ({ keyRef, bytes: Buffer.from(bytes).toString('base64') }))
    const { results } = await call('POST', path, wire.SignResponse, { requests })
    return asked.map((_, index) => {
      const result = results[index]
      if (result === undefined) return new SignerUnavailable('The signer left out a signature.')
      if ('problem' in result) return new SignerRefused(422, result.problem.type, result.problem.message)
      return new Uint8Array(Buffer.from(result.signature, 'base64'))
    })
  }, SIGNATURE_TRIPS)
