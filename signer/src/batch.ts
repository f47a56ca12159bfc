/** Which queued actions travel in the next extrinsic. Pure. */
import type { Candidate } from './pipeline.store.js'

export interface BatchLimits {
  items: number
  bytes: number
}

/**
 * In order of arrival, each DID's own in order of its sequence. A DID's turn has not come while an earlier action of it
 * is missing, or a later one is in flight (that one was signed for a nonce which this one now takes).
 * An action that is too heavy for company travels alone.
 */
export function chooseBatch(candidates: Candidate[], limits: BatchLimits): Candidate[] {
  const byDid = inSequence(candidates)
  const chosen: Candidate[] = []
  const last = new Map<string, number>()
  let bytes = 0
  for (const { action: arrived } of candidates) {
    const candidate = byDid.get(arrived.did)?.shift()
    if (candidate === undefined || !isItsTurn(candidate, last.get(arrived.did))) {
      byDid.delete(arrived.did)
      continue
    }
    bytes += sizeOf(candidate)
    const isFull = chosen.length >= limits.items || bytes > limits.bytes || candidate.action.is_solo
    if (chosen.length > 0 && isFull) return chosen
    chosen.push(candidate)
    if (candidate.action.is_solo) return chosen
    last.set(arrived.did, candidate.action.sequence)
  }
  return chosen
}

function inSequence(candidates: Candidate[]): Map<string, Candidate[]> {
  const byDid = new Map<string, Candidate[]>()
  for (const candidate of candidates) {
    const own = byDid.get(candidate.action.did)
    if (own === undefined) byDid.set(candidate.action.did, [candidate])
    else own.push(candidate)
  }
  for (const own of byDid.values()) own.sort((left, right) => left.action.sequence - right.action.sequence)
  return byDid
}

function isItsTurn({ action, before, inFlight }: Candidate, lastChosen: number | undefined): boolean {
  if (lastChosen !== undefined) return action.sequence === lastChosen + 1
  if (inFlight !== undefined && inFlight.sequence > action.sequence) return false
  return action.sequence === 0 || (before !== undefined && before !== 'queued')
}

/** Bytes of the calls, near enough. */
function sizeOf({ action: { content } }: Candidate): number {
  const overhead = 200
  if (content.kind !== 'create') return content.calls.reduce((sum, call) => sum + call.length / 2, overhead)
  return content.keys.length * 100 + content.services.length * 600 + overhead
}
