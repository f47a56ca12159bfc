import { areEqual, type Hex, hexOf } from './bytes.js'
import type { Header } from './header.js'
import { ProofRefusal } from './refusal.js'
import { readAll, type ScaleReader } from './scale-reader.js'
import { StateProof } from './state-proof.js'
import { GRANDPA_AUTHORITIES } from './storage-keys.js'

/** The validators that make blocks final, from one change of them to the next. */
export interface AuthoritySet {
  /** 0 at genesis; each change adds 1. Every vote is signed with it. */
  readonly id: number
  /** Weights by Ed25519 key. */
  readonly weights: ReadonlyMap<Hex, bigint>
  readonly totalWeight: bigint
  /** The least weight that makes a block final: what remains when less than a third is missing. */
  readonly threshold: bigint
}

/** Reads the first set from the state at genesis, which its header's hash stands for. */
export function genesisAuthoritySet(header: Header, nodes: readonly Hex[]): AuthoritySet {
  const state = new StateProof(header.stateRoot, nodes, 'the state at genesis')
  const value = state.value(GRANDPA_AUTHORITIES)
  if (value === undefined) throw new ProofRefusal('no_genesis_validators', 'The state at genesis names no validators.')
  state.refuseUnused()
  return authoritySet(0, readAll(value, 'The list of validators at genesis', readAuthorities))
}

/** Returns the set that takes over after this block: its header has to say so, with effect at once. */
export function nextAuthoritySet(set: AuthoritySet, header: Header): AuthoritySet {
  const change = scheduledChange(header)
  if (change === undefined)
    throw new ProofRefusal(
      'hand_over_without_change',
      `Block ${header.number} is given as a hand-over, and its header names no other validators.`,
    )
  if (change.delay !== 0)
    throw new ProofRefusal(
      'delayed_change',
      `Block ${header.number} changes the validators ${change.delay} blocks later, which cannot be proved.`,
    )
  return authoritySet(set.id + 1, change.authorities)
}

type Authorities = readonly (readonly [key: Uint8Array, weight: bigint])[]

interface ScheduledChange {
  readonly authorities: Authorities
  readonly delay: number
}

/** Returns the change of validators that a header tells. A change without votes of the old ones is refused. */
function scheduledChange({ grandpaLogs, number }: Header): ScheduledChange | undefined {
  const name = `The header of block ${number}`
  const changes = grandpaLogs.flatMap((log) => readAll(log, name, (reader) => readLog(reader, number)))
  if (changes.length > 1) throw new ProofRefusal('malformed', `${name} changes the validators twice.`)
  return changes[0]
}

/** GRANDPA's messages in a header by their number. Those of single validators change nothing. */
const LOGS = ['none', 'scheduled', 'forced', 'disabled', 'pause', 'resume'] as const

function readLog(reader: ScaleReader, number: number): ScheduledChange[] {
  const kind = reader.variant(LOGS)
  if (kind === 'scheduled') return [{ authorities: readAuthorities(reader), delay: reader.u32() }]
  if (kind !== 'disabled')
    throw new ProofRefusal('forced_change', `Block ${number} changes the validators without their votes.`)
  reader.unsigned(8)
  return []
}

function readAuthorities(reader: ScaleReader): Authorities {
  return reader.list((each) => [each.take(32), each.unsigned(8)] as const)
}

function authoritySet(id: number, authorities: Authorities): AuthoritySet {
  const weights = new Map<Hex, bigint>()
  for (const [key, weight] of authorities) weights.set(hexOf(key), (weights.get(hexOf(key)) ?? 0n) + weight)
  const totalWeight = authorities.reduce((sum, [, weight]) => sum + weight, 0n)
  if (totalWeight === 0n) throw new ProofRefusal('malformed', `Validator set ${id} is empty.`)
  return { id, weights, totalWeight, threshold: totalWeight - (totalWeight - 1n) / 3n }
}

/** Checks that each header is the parent of the next one, and that no set but the last block's made them final. */
export function checkDescent(headers: readonly Header[]): void {
  for (const [position, header] of headers.entries()) {
    const next = headers[position + 1]
    if (next === undefined) return
    if (!areEqual(next.parentHash, header.hash) || next.number !== header.number + 1)
      throw new ProofRefusal(
        'broken_header_chain',
        `The header behind that of block ${header.number} is not that of a child of this block.`,
      )
    if (scheduledChange(header))
      throw new ProofRefusal(
        'crosses_hand_over',
        `The validators changed in block ${header.number}, and its own finality is not shown.`,
      )
  }
}
