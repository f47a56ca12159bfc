import type { FastifyRequest } from 'fastify'
import { ApiError, invalid } from '../../errors.js'
import { inputClassOf } from '../input/input-class.js'
import type { Described } from '../operation.js'
import { isKnown, isMatch, namedTags } from './entity-tag.js'

/**
 * The conditions of RFC 9110, section 13.1, for a request that changes something. If-Modified-Since is for reading
 * alone.
 */
const OF_WRITES = ['If-Match', 'If-None-Match', 'If-Unmodified-Since']
/** The conditions of a request that reads. The others describe the reader's copy: the whole answer is never wrong. */
const OF_READS = ['If-Match', 'If-Unmodified-Since']

type Conditional = Pick<Described, 'method' | 'tagged' | 'input'>
type Sent = Pick<FastifyRequest, 'headers'>

/**
 * Refuses a condition that no code checks, since it must not look as if it held. Pages, and routes of a standard,
 * ignore those of readers.
 *
 * @throws 400 for one that cannot be checked, or is malformed
 */
export function refuseConditions(op: Conditional, { headers }: Sent): void {
  const reads = op.method === 'GET'
  const looked = op.tagged ? ['If-Match', ...(reads ? ['If-None-Match'] : [])] : []
  for (const name of looked) {
    const value = sentAs(headers, name)
    if (value !== undefined) namedTags(name, value)
  }
  if (reads && inputClassOf(op) === 'standard') return
  const must = reads ? OF_READS : OF_WRITES
  const unlooked = must.find((name) => sentAs(headers, name) !== undefined && !looked.includes(name))
  if (unlooked !== undefined) throw invalid(`${unlooked} cannot be checked here, so nothing was done`)
}

/**
 * Applies the conditions of a request to an answer that was read, in the order of RFC 9110, section 13.2.2.
 *
 * @returns whether the reader has it already: then it is 304
 * @throws 412 when If-Match does not name it
 */
export function isUnchanged(op: Conditional, { headers }: Sent, tag: string | undefined): boolean {
  if (op.method !== 'GET' || !op.tagged) return false
  const [ifMatch, ifNoneMatch] = [sentAs(headers, 'If-Match'), sentAs(headers, 'If-None-Match')]
  if (ifMatch !== undefined && !isMatch(ifMatch, tag))
    throw new ApiError('precondition_failed', 'The present state is not the one that If-Match names')
  return ifNoneMatch !== undefined && isKnown(ifNoneMatch, tag)
}

function sentAs(headers: FastifyRequest['headers'], name: string): string | undefined {
  const value = headers[name.toLowerCase()]
  return Array.isArray(value) ? value.join(', ') : value
}
