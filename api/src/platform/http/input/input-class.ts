/**
 * How an operation takes members and parameters that it does not know, and blank ones. It is told as `x-input-class`.
 * - deciding: a filter or a condition that was meant must not vanish, so it is refused, and so is a blank one.
 * - writing: clients in the field send whole objects. It is ignored and named in Accredit-Ignored, and refused when it is nearly
 *   the name of a known one, or of a parameter. A blank parameter is refused. Null means absent, but in PATCH it clears what can be cleared.
 * - standard: pages, files, and routes of a standard that has its own rule.
 */
export type InputClass = 'deciding' | 'writing' | 'standard'

/** Reads decide, and what changes something writes, unless the operation says otherwise. */
export const inputClassOf = ({ input, method }: { input?: InputClass; method: string }): InputClass =>
  input ?? (method === 'GET' ? 'deciding' : 'writing')
