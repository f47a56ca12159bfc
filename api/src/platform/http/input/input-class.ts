/**
 * The way an operation takes unknown members and parameters, and blank ones. The reference tells it as `x-input-class`.
 * - deciding: a filter or a condition that was meant must not vanish, so unknown and blank ones are refused.
 * - writing: clients in the field send whole objects. An unknown member is ignored and named in Accredit-Ignored, but
 *   refused if its name is nearly that of a known one, or of a parameter. A blank parameter is refused. Null means
 *   absent, but in PATCH it clears what can be cleared.
 * - standard: pages, files, and routes of a standard that has its own rule.
 */
export type InputClass = 'deciding' | 'writing' | 'standard'

/** Returns deciding for reads and writing for changes, unless the operation says otherwise. */
export const inputClassOf = ({ input, method }: { input?: InputClass; method: string }): InputClass =>
  input ?? (method === 'GET' ? 'deciding' : 'writing')
