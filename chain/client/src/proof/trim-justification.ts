import { concatBytes } from '@noble/hashes/utils'
import { bytesOf, compact, type Hex, hexOf } from './bytes.js'
import { type Header, readInnerHeader } from './header.js'
import { readTarget, readVote, type Target } from './justification.js'
import { readAll, type ScaleReader } from './scale-reader.js'

/**
 * Returns a justification without what does not count. GRANDPA keeps both votes of a validator that voted for two
 * blocks, and the headers that the second one needs; the verifier wants one of each, for the final block or a
 * descendant.
 */
export function trimJustification(justification: Hex): Hex {
  const { begin, target, votes, ancestry } = readAll(bytesOf(justification), 'The justification', readParts)
  const headers = new Map(ancestry.map((header) => [hexOf(header.value.hash), header]))
  const used = new Set<Hex>()
  const voters = new Set<Hex>()
  const counting = votes.filter(({ value: { voter, target: own } }) => {
    const path = pathTo(target, own, headers)
    if (path === undefined || voters.has(hexOf(voter))) return false
    voters.add(hexOf(voter))
    for (const hash of path) used.add(hash)
    return true
  })
  const kept = ancestry.filter(({ value }) => used.has(hexOf(value.hash)))
  return hexOf(concatBytes(begin, counted(counting), counted(kept)))
}

interface Read<Value> {
  readonly value: Value
  readonly bytes: Uint8Array
}

function readParts(reader: ScaleReader) {
  const { value: target, bytes: begin } = reader.span((each) => {
    each.take(8)
    return readTarget(each)
  })
  const votes = reader.list((each) => each.span(readVote))
  const ancestry = reader.list((each) => each.span(readInnerHeader))
  return { begin, target, votes, ancestry }
}

/** Returns the blocks from that of a vote down to the final one, without this; undefined where it is no descendant. */
function pathTo(final: Target, vote: Target, headers: ReadonlyMap<Hex, Read<Header>>): Hex[] | undefined {
  const path: Hex[] = []
  for (let at = hexOf(vote.hash); at !== hexOf(final.hash); ) {
    const header = headers.get(at)
    if (header === undefined) return undefined
    path.push(at)
    at = hexOf(header.value.parentHash)
  }
  return path
}

function counted(items: readonly Read<unknown>[]): Uint8Array {
  return concatBytes(compact(items.length), ...items.map(({ bytes }) => bytes))
}
