import { Refusal } from '../../start/refusal.js'
import { waitUntil } from '../../start/wait-until.js'
import { interruption } from '../interruption.js'

const ASK_EVERY_MS = 200
/** The validators make a block in turn, in a slot each; a machine that is busy takes twice the time. */
const SLOT_MS = 3_000
const BUSY = 2

/** A node, or a process of the product, has begun and knows what the others know in less. */
export const BEGUN_WITHIN_MS = 120_000
/** The product answers again in less after it was killed or stopped to be started again, with a round of questions. */
export const RESTARTED_WITHIN_MS = 40_000
/** News of one place is at another one in less: a block at the next node, a final one in the index. */
export const TOLD_WITHIN_MS = 60_000

/** The time in which a number of blocks is made while some of four validators make any. */
export const timeOfBlocks = (blocks: number, makers = 4): number => (blocks * SLOT_MS * BUSY * 4) / makers

/** Waits until something is so, or a person interrupts the command. A question that fails is asked again. */
export async function until(what: string, isSo: () => Promise<boolean>, withinMs: number): Promise<void> {
  const ask = () => isSo().catch(() => false)
  if (!(await waitUntil(ask, { withinMs, everyMs: ASK_EVERY_MS, signal: interruption })))
    throw new Refusal(`Waited ${withinMs / 1000} s in vain until ${what}.`)
}

/** Returns how long some work took, in seconds. */
export async function secondsOf(work: () => Promise<unknown>): Promise<string> {
  const begun = Date.now()
  await work()
  return ((Date.now() - begun) / 1000).toFixed(1)
}
