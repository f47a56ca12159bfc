import { readFileSync } from 'node:fs'
import {
  type ActionState,
  JustificationMissing,
  LedgerUnavailable,
  type Action as SignerAction,
  SignerBusy,
  type SignerClient,
  SignerRefused,
  SignerUnavailable,
  signerClient,
} from '@accredit/signer/client'
import type { Config } from '../../config.js'
import { ApiError } from '../../platform/errors.js'

export type {
  Action as SignerAction,
  ActionState,
  DryRunOutcome,
  KeyKind,
  MadeKey,
  Outcome as ActionOutcome,
  PalletError,
} from '@accredit/signer/client'
export { parseAction, SignerRefused } from '@accredit/signer/client'

type Unplaced<A> = A extends SignerAction ? Omit<A, 'id' | 'sequence'> : never
/** Puts a new DID on the ledger. */
type CreateAction = Unplaced<Extract<SignerAction, { kind: 'create' }>>
/** An action of a DID whose key the signer has. */
type DispatchAction = Omit<Unplaced<Extract<SignerAction, { kind: 'dispatch' }>>, 'calls'> & {
  /** SCALE-encoded runtime calls, dispatched together or not at all. */
  calls: Uint8Array[]
}

/** An action that the owner of its DID signed. */
type AuthorisedAction = Omit<Unplaced<Extract<SignerAction, { kind: 'authorised' }>>, 'calls'> & { calls: Uint8Array[] }

/**
 * An action of the outbox, which the signer carries out. The outbox gives it its id and its place in the DID's
 * sequence.
 */
export type LedgerAction = CreateAction | DispatchAction | AuthorisedAction

/**
 * The only way from here to private keys and to the ledger. Calls throw 503 `ledger_unavailable` without the signer, or
 * where they need a ledger that does not answer it,
 * 429 `rate_limited` past one of its caps, and 503 `unavailable` where it does not allow this service the request, has
 * lost new keys, or has too much waiting. `SignerRefused` is about the request itself.
 */
export type SignerDoor = Pick<
  SignerClient,
  | 'makeKeys'
  | 'importKeys'
  | 'exportKeys'
  | 'bindKeys'
  | 'retireKeys'
  | 'destroyKeys'
  | 'sign'
  | 'signMessages'
  | 'verifyKeyed'
  | 'accumulator'
  | 'submitActions'
  | 'actionStates'
  | 'dryRun'
  | 'prepare'
  | 'throwaway'
  | 'prove'
  | 'chainStatus'
  | 'health'
  | 'close'
>

declare module '../../platform/http/context.js' {
  interface ContextServices {
    readonly signer: SignerDoor
  }
}

export function openSigner({ signer }: Pick<Config, 'signer'>): SignerDoor {
  const client = signerClient(addressOf(signer))
  return {
    makeKeys: (...request) => reached(client.makeKeys(...request)),
    importKeys: (...request) => reached(client.importKeys(...request)),
    // A deployment may leave this capability out: the caller of this function explains that.
    exportKeys: (keyRefs) => reached(client.exportKeys(keyRefs), 'export'),
    bindKeys: (handle) => reached(client.bindKeys(handle)),
    retireKeys: (keyRefs) => reached(client.retireKeys(keyRefs)),
    destroyKeys: (keyRefs) => reached(client.destroyKeys(keyRefs)),
    sign: (requests) => reached(client.sign(requests)),
    signMessages: (...request) => reached(client.signMessages(...request)),
    verifyKeyed: (...request) => reached(client.verifyKeyed(...request)),
    accumulator: {
      update: (asked) => reached(client.accumulator.update(asked)),
      witness: (asked) => reached(client.accumulator.witness(asked)),
    },
    submitActions: (actions) => reached(client.submitActions(actions)),
    actionStates: (ids) => reached(client.actionStates(ids)),
    dryRun: (actions, before) => reached(client.dryRun(actions, before)),
    prepare: (request) => reached(client.prepare(request)),
    throwaway: {
      makeKeys: (...request) => reached(client.throwaway.makeKeys(...request)),
      importKeys: (...request) => reached(client.throwaway.importKeys(...request)),
      sign: (requests) => reached(client.throwaway.sign(requests)),
    },
    prove: (...request) => reached(client.prove(...request)),
    chainStatus: () => reached(client.chainStatus()),
    health: () => reached(client.health()),
    close: () => client.close(),
  }
}

function addressOf({ socket, url, token, tls }: Config['signer']): Parameters<typeof signerClient>[0] {
  if (socket && !url) return { socket }
  const read = (file: string): string => readFileSync(file, 'utf8')
  if (url && token) return { url, token, tls: tls && { cert: read(tls.cert), key: read(tls.key), ca: read(tls.ca) } }
  throw new Error('The address of the signer is missing: set SIGNER_SOCKET, or SIGNER_URL and SIGNER_TOKEN')
}

async function reached<T>(call: Promise<T>, optional?: 'export'): Promise<T> {
  try {
    return await call
  } catch (error) {
    if (optional && error instanceof SignerRefused && error.type === 'capability_missing') throw error
    throw doorError(error)
  }
}

/** The signer's buckets are full again after a minute. */
const CAPPED = { 'Retry-After': '60' }

/** A fault of the deployment must not look like a refusal of the request. */
function doorError(error: unknown): unknown {
  if (error instanceof SignerBusy)
    return new ApiError('unavailable', error.message, { cause: error, headers: { 'Retry-After': '1' } })
  if (error instanceof JustificationMissing) return new ApiError('ledger_unavailable', error.message, { cause: error })
  if (error instanceof LedgerUnavailable)
    return new ApiError('ledger_unavailable', 'The ledger cannot be reached; try again', { cause: error })
  if (error instanceof SignerUnavailable)
    return new ApiError('ledger_unavailable', 'The signer cannot be reached; try again', { cause: error })
  if (!(error instanceof SignerRefused)) return error
  if (error.status === 429) return new ApiError('rate_limited', error.message, { cause: error, headers: CAPPED })
  if (error.type === 'keys_lost')
    return new ApiError('unavailable', 'The new keys were lost; try again', { cause: error })
  if (error.status === 401 || error.status === 403)
    return new ApiError('unavailable', `The signer does not let this service do that: ${error.message}`, {
      cause: error,
    })
  return error
}

/** Tells whether nothing more will happen to an action. */
export const isTerminal = ({ state }: ActionState): boolean => state === 'final' || state === 'refused'
