import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Environment } from '../../platform/http/context.js'

type Door = Pick<Environment, 'deriveKey'>

const HEX = 32

const proofOf = ({ deriveKey }: Door, job: string): string =>
  createHmac('sha256', deriveKey('credential mail mark')).update(job).digest('hex').slice(0, HEX)

/**
 * The name of a mail, which a bounce quotes: its job, and a proof that it was sent here, since jobs are numbered and
 * anybody can write a bounce.
 */
export const markOf = (door: Door, job: string): string => `${job}.${proofOf(door, job)}`

const MARKS = new RegExp(`\\b(\\d{1,19})\\.([0-9a-f]{${HEX}})\\b`, 'gi')

/** Finds the job of the first mail that a text names and that was sent here. */
export function jobNamedIn(door: Door, text: string): string | undefined {
  for (const [, job = '', proof = ''] of text.matchAll(MARKS))
    if (timingSafeEqual(Buffer.from(proofOf(door, job)), Buffer.from(proof.toLowerCase()))) return job
  return undefined
}
