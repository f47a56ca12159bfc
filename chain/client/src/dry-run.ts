import type { Result, Vec } from '@polkadot/types'
import type { DispatchError, EventRecord } from '@polkadot/types/interfaces'
import { u8aConcat } from '@polkadot/util'
import { listOf } from './authorisation.js'
import { type Hex, type Hex32, hexOf } from './bytes.js'
import type { EncodedCall } from './calls.js'
import { type ChainError, chainError, decodeEvents } from './events.js'
import { type LedgerChange, ledgerChanges } from './ledger-change.js'
import { type ChainTypes, chainTypes } from './types.js'
import type { ViewCall } from './views/view-functions.js'

/** The outcome of one call: its changes, or the reason why the ledger refuses it. */
export type DryRunOutcome = { readonly changes: readonly LedgerChange[] } | { readonly error: ChainError }

export interface DryRun {
  /** The block after which the calls are made; the request has to name it as well. */
  readonly parent: Hex32
  /** Milliseconds since 1970; an instant before the parent's counts as the parent's. */
  readonly now: number
  /** SS58 address of the account that would send them. */
  readonly submitter: string
  /** The calls `did.create` and `did.dispatch_as`, made one after the other, each on top of those that succeed. */
  readonly calls: readonly EncodedCall[]
  /** True where every authorisation counts as signed, so that its owner can see the outcome before signing. */
  readonly asIfSigned?: boolean
}

const API = 'DryRunApi'
const OUTCOMES = 'Vec<Result<Vec<EventRecord>, DispatchError>>'

/** Builds the JSON-RPC request for a dry run of calls at a block; nothing is written. One outcome a call, in order. */
export function dryRun(
  { parent, now, submitter, calls, asIfSigned = false }: DryRun,
  types: ChainTypes = chainTypes(),
): ViewCall<readonly DryRunOutcome[]> {
  const { registry } = types
  const bytes = u8aConcat(
    registry.createType('Hash', parent).toU8a(),
    registry.createType('u64', now).toU8a(),
    registry.createType('AccountId', submitter).toU8a(),
    listOf(calls),
  )
  return {
    method: 'state_call',
    params: [`${API}_${asIfSigned ? 'dry_run_unsigned' : 'dry_run'}`, hexOf(bytes)],
    decode: (answer) => outcomesOf(answer, types),
  }
}

/** The call is encoded by its types' names, since the metadata of a node need not tell of runtime APIs. */
function outcomesOf(answer: Hex, types: ChainTypes): DryRunOutcome[] {
  const results: Vec<Result<Vec<EventRecord>, DispatchError>> = types.registry.createType(OUTCOMES, answer)
  return [...results].map((result) =>
    result.isOk
      ? { changes: ledgerChanges(decodeEvents(result.asOk.toU8a(), types)) }
      : { error: chainError(result.asErr, types) },
  )
}
