import {
  type ActionState,
  type Action as SignerAction,
  type SignerClient,
  SignerUnavailable,
  signerClient,
} from '@accredit/signer/client'
import type { Config } from '../config.js'
import { ApiError } from '../platform/errors.js'

export type {
  Action as SignerAction,
  ActionState,
  KeyKind,
  MadeKey,
  Outcome as ActionOutcome,
} from '@accredit/signer/client'
export { SignerRefused } from '@accredit/signer/client'

type Unplaced<A> = A extends SignerAction ? Omit<A, 'id' | 'sequence'> : never
/** Puts a new DID on the ledger. */
type CreateAction = Unplaced<Extract<SignerAction, { kind: 'create' }>>
/** What a DID does. */
type DispatchAction = Omit<Unplaced<Extract<SignerAction, { kind: 'dispatch' }>>, 'calls'> & {
  /** SCALE-encoded runtime calls, dispatched together or not at all. */
  calls: Uint8Array[]
}

/** What the outbox stores and the signer carries out; the outbox gives it its id and its place in the DID's sequence. */
export type LedgerAction = CreateAction | DispatchAction

/** The only way from here to private keys and to the ledger. Without the signer: 503 `ledger_unavailable`. */
export type SignerDoor = Pick<
  SignerClient,
  | 'makeKeys'
  | 'bindKeys'
  | 'destroyKeys'
  | 'sign'
  | 'submitActions'
  | 'actionStates'
  | 'chainStatus'
  | 'health'
  | 'close'
>

declare module '../platform/context.js' {
  interface ContextServices {
    readonly signer: SignerDoor
  }
}

export function openSigner({ signer }: Pick<Config, 'signer'>): SignerDoor {
  const client = signerClient(addressOf(signer))
  return {
    makeKeys: (handle, kinds) => reached(client.makeKeys(handle, kinds)),
    bindKeys: (handle) => reached(client.bindKeys(handle)),
    destroyKeys: (keyRefs) => reached(client.destroyKeys(keyRefs)),
    sign: (requests) => reached(client.sign(requests)),
    submitActions: (actions) => reached(client.submitActions(actions)),
    actionStates: (ids) => reached(client.actionStates(ids)),
    chainStatus: () => reached(client.chainStatus()),
    health: () => reached(client.health()),
    close: () => client.close(),
  }
}

function addressOf({ socket, url, token }: Config['signer']): Parameters<typeof signerClient>[0] {
  if (socket) return { socket }
  if (url && token) return { url, token }
  throw new Error('Where is the signer? Set SIGNER_SOCKET, or SIGNER_URL and SIGNER_TOKEN')
}

async function reached<T>(call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    if (!(error instanceof SignerUnavailable)) throw error
    throw new ApiError('ledger_unavailable', 'The signer cannot be reached; try again', { cause: error })
  }
}

/** Whether nothing more will happen to an action. */
export const isTerminal = ({ state }: ActionState): boolean => state === 'final' || state === 'refused'
