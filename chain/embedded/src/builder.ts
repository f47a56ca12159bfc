import type { ApplyExtrinsicResult } from '@polkadot/types/interfaces'
import { compactToU8a, u8aToBn } from '@polkadot/util'
import type { Chain } from './chain.js'
import { type RuntimeCall, RuntimeTrap, type StateView, trieRoot } from './executor.js'
import { headerHash, openingHeader, readHeader } from './header.js'
import type { Runtime } from './runtime.js'
import { bytesOf, type Hex, hexOf, type StateChanges, type StoredBlock } from './store.js'

/** A block that was built and is nobody's head yet. */
export interface Draft {
  readonly block: StoredBlock
  readonly changes: StateChanges
  readonly events: number
}

/** Why the runtime did not take an extrinsic into a block: the variant of its validity error. */
export interface Refusal {
  readonly kind: 'invalid' | 'unknown' | 'trap'
  /** For instance Stale, BadProof, Payment, ExhaustsResources; empty for a trap. */
  readonly reason: string
  readonly detail: string
}

/** Builds blocks on the head of one chain. Nothing is stored: a draft that is not appended never was. */
export class Builder {
  readonly #chain: Chain
  readonly #clock: () => number
  #slotDuration: number | undefined

  constructor(chain: Chain, clock: () => number) {
    this.#chain = chain
    this.#clock = clock
  }

  /**
   * Builds a block of exactly these extrinsics, in one run of the runtime. A run gives no results of single extrinsics,
   * but the header's extrinsics root is the runtime's own word on what it took: undefined when that is not all of them.
   */
  async draft(extrinsics: readonly Hex[]): Promise<Draft | undefined> {
    const { runtime, state, opening } = await this.#open()
    const body = [opening.inherent, ...extrinsics]
    const outcome = await runtime.run([...opening.calls, ...extrinsics.map(apply), FINALIZE], state)
    const header = outcome.result
    if (readHeader(header).extrinsicsRoot !== (await extrinsicsRoot(body, runtime))) return undefined
    const block = { number: opening.number, hash: headerHash(header), header, extrinsics: body }
    return { block, changes: outcome.changes, events: eventCount(outcome.changes, runtime) }
  }

  /** Applies extrinsics one after the other, each only if the runtime takes it, and says why where it does not. */
  async tryEach(extrinsics: readonly Hex[]): Promise<(Refusal | undefined)[]> {
    const { runtime, state, opening } = await this.#open()
    const above = new Map<Hex, Hex | null>()
    const layered = overlay(state, above)
    const start = await runtime.run(opening.calls, layered)
    for (const [key, value] of start.changes) above.set(key, value)
    const refusals: (Refusal | undefined)[] = []
    for (const extrinsic of extrinsics) {
      refusals.push(await tryOne(extrinsic, runtime, layered, above))
    }
    return refusals
  }

  async #open() {
    const parent = this.#chain.head
    const runtime = await this.#chain.runtimeAt(parent.number)
    const state = this.#chain.viewAt(parent.number)
    const time = Math.max(Math.floor(this.#clock()), await parentTime(runtime, state))
    const number = parent.number + 1
    const header = openingHeader(parent.hash, number, Math.floor(time / (await this.#slot(runtime, state))))
    const inherent = runtime.timestampInherent(time)
    const calls: RuntimeCall[] = [['Core_initialize_block', header], apply(inherent)]
    return { runtime, state, opening: { number, inherent, calls } }
  }

  /** A constant of the chain: a runtime that changed it would tear the slots of its past. */
  async #slot(runtime: Runtime, state: StateView): Promise<number> {
    this.#slotDuration ??= littleEndian(await runtime.answer('AuraApi_slot_duration', '0x', state))
    return this.#slotDuration
  }
}

const FINALIZE: RuntimeCall = ['BlockBuilder_finalize_block']

function apply(extrinsic: Hex): RuntimeCall {
  return ['BlockBuilder_apply_extrinsic', extrinsic]
}

async function tryOne(
  extrinsic: Hex,
  runtime: Runtime,
  layered: StateView,
  above: Map<Hex, Hex | null>,
): Promise<Refusal | undefined> {
  try {
    const { result, changes } = await runtime.run([apply(extrinsic)], layered)
    const refusal = refusalOf(result, runtime)
    if (!refusal) for (const [key, value] of changes) above.set(key, value)
    return refusal
  } catch (cause) {
    if (!(cause instanceof RuntimeTrap)) throw cause
    return { kind: 'trap', reason: '', detail: cause.message }
  }
}

function refusalOf(result: Hex, runtime: Runtime): Refusal | undefined {
  const outcome: ApplyExtrinsicResult = runtime.registry.createType('ApplyExtrinsicResult', bytesOf(result))
  if (outcome.isOk) return undefined
  const error = outcome.asErr
  const [kind, inner] = error.isInvalid
    ? (['invalid', error.asInvalid] as const)
    : (['unknown', error.asUnknown] as const)
  return { kind, reason: inner.type, detail: inner.inner.toString() }
}

/** Root of the trie of a block's extrinsics by position, as the runtime computes it for the header. */
async function extrinsicsRoot(body: readonly Hex[], runtime: Runtime): Promise<Hex> {
  const entries = body.map((extrinsic, index) => [hexOf(compactToU8a(index)), extrinsic] as const)
  return trieRoot(entries, runtime.version.stateVersion >= 2 ? 1 : 0)
}

async function parentTime(runtime: Runtime, state: StateView): Promise<number> {
  return littleEndian((await state.get(runtime.storageKey('timestamp', 'now'))) ?? '0x')
}

function eventCount(changes: StateChanges, runtime: Runtime): number {
  return littleEndian(changes.get(runtime.storageKey('system', 'eventCount')) ?? '0x')
}

function littleEndian(bytes: Hex): number {
  return u8aToBn(bytesOf(bytes), { isLe: true }).toNumber()
}

function overlay(below: StateView, above: ReadonlyMap<Hex, Hex | null>): StateView {
  return {
    get: async (key) => {
      const own = above.get(key)
      return own === undefined ? below.get(key) : (own ?? undefined)
    },
    nextKey: async (prefix, after) => {
      let next = await below.nextKey(prefix, after)
      while (next && above.get(next) === null) next = await below.nextKey(prefix, next)
      const own = [...above].flatMap(([key, value]) =>
        value !== null && key > after && key.startsWith(prefix) ? [key] : [],
      )
      return [...own, ...(next ? [next] : [])].sort()[0]
    },
  }
}
