/** The members whose texts are ids of credentials and of their subjects, in every format of JSON. */
const NAMES = new Set(['id', '@id', 'jti', 'sub'])
/** An answer names few things; a document with more of them was written to cost time. */
const MOST = 1000
const DEEPEST = 100

/** Returns the ids that stand in a body, by which erasure finds it. */
export function idsIn(body: unknown): string[] {
  const found = new Set<string>()
  collect(body, found, 0)
  return [...found]
}

function collect(value: unknown, found: Set<string>, depth: number): void {
  if (typeof value !== 'object' || value === null || depth > DEEPEST || found.size >= MOST) return
  for (const [name, member] of Object.entries(value)) {
    if (typeof member === 'string' && NAMES.has(name)) found.add(member)
    else collect(member, found, depth + 1)
  }
}
