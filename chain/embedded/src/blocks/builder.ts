import type { ApplyExtrinsicResult, TransactionValidityError } from '@polkadot/types/interfaces'
import { u8aToBn } from '@polkadot/util'
import type { Chain } from '../chain/chain.js'
import { type RuntimeCall, RuntimeTrap, type StateView } from '../executor/executable.js'
import { headerHash, openingHeader } from '../runtime/header.js'
import type { Runtime } from '../runtime/runtime.js'
import { bytesOf, type Hex, type StateChanges, type StoredBlock } from '../store/store.js'

/** A block that was built and is nobody's head yet. */
export interface Draft {
  readonly block: StoredBlock
  readonly changes: StateChanges
  readonly events: number
  /** The reason for which each extrinsic was left out; undefined for those that are in the block. */
  readonly refusals: readonly (Refusal | undefined)[]
}

/** The reason for which the runtime did not take an extrinsic into a block: the variant of its validity error. */
export interface Refusal {
  readonly kind: 'invalid' | 'unknown' | 'trap'
  /** The variant's name, as Stale, BadProof, Payment, ExhaustsResources; empty for a trap. */
  readonly reason: string
  readonly detail: string
}

/** Builds blocks on the head of one chain. Nothing is stored: a draft that is not appended leaves nothing. */
export class Builder {
  readonly #chain: Chain
  readonly #clock: () => number
  #slotDuration: number | undefined

  constructor(chain: Chain, clock: () => number) {
    this.#chain = chain
    this.#clock = clock
  }

  /** Builds a block of those of these extrinsics that the runtime takes. */
  async draft(extrinsics: readonly Hex[]): Promise<Draft> {
    const { runtime, state, opening } = await this.#open()
    const undoIf = (result: Hex) => refusalOf(result, runtime) !== undefined
    const attempts = extrinsics.map((extrinsic) => ({ ...apply(extrinsic), undoIf }))
    const outcome = await runtime.run([...opening.calls, ...attempts, FINALIZE], state)
    const refusals = outcome.attempts.map((result) => refusalOf(result, runtime))
    const { result: header, changes } = outcome
    const taken = extrinsics.filter((_extrinsic, position) => refusals[position] === undefined)
    const body = [opening.inherent, ...taken]
    const block = { number: opening.number, hash: headerHash(header), header, extrinsics: body }
    return { block, changes, events: eventCount(changes, runtime), refusals }
  }

  async #open() {
    const parent = this.#chain.head
    const runtime = await this.#chain.runtimeAt(parent.number)
    const state = this.#chain.viewAt(parent.number)
    const time = Math.max(Math.floor(this.#clock()), await parentTime(runtime, state))
    const number = parent.number + 1
    const header = openingHeader(parent.hash, number, Math.floor(time / (await this.#slot(runtime, state))))
    const inherent = runtime.timestampInherent(time)
    const calls = [{ method: 'Core_initialize_block', argument: header }, apply(inherent)]
    return { runtime, state, opening: { number, inherent, calls } }
  }

  /** The duration is a constant of the chain: a runtime that changed it would tear the slots of its past. */
  async #slot(runtime: Runtime, state: StateView): Promise<number> {
    this.#slotDuration ??= littleEndian(await runtime.answer('AuraApi_slot_duration', '0x', state))
    return this.#slotDuration
  }
}

const FINALIZE: RuntimeCall = { method: 'BlockBuilder_finalize_block' }

function apply(extrinsic: Hex): RuntimeCall {
  return { method: 'BlockBuilder_apply_extrinsic', argument: extrinsic }
}

function refusalOf(result: Hex | RuntimeTrap, runtime: Runtime): Refusal | undefined {
  if (result instanceof RuntimeTrap) return { kind: 'trap', reason: '', detail: result.message }
  const outcome: ApplyExtrinsicResult = runtime.registry.createType('ApplyExtrinsicResult', bytesOf(result))
  return outcome.isOk ? undefined : refusalBy(outcome.asErr)
}

export function refusalBy(error: TransactionValidityError): Refusal {
  const [kind, inner] = error.isInvalid
    ? (['invalid', error.asInvalid] as const)
    : (['unknown', error.asUnknown] as const)
  return { kind, reason: inner.type, detail: inner.inner.toString() }
}

async function parentTime(runtime: Runtime, state: StateView): Promise<number> {
  return littleEndian((await state.values([runtime.storageKey('timestamp', 'now')]))[0] ?? '0x')
}

function eventCount(changes: StateChanges, runtime: Runtime): number {
  return littleEndian(changes.get(runtime.storageKey('system', 'eventCount')) ?? '0x')
}

function littleEndian(bytes: Hex): number {
  return u8aToBn(bytesOf(bytes), { isLe: true }).toNumber()
}
