/**
 * Returns the known name that a misspelt one most likely stands for: the same in another case, or one edit away (a
 * letter added, left out, replaced, or two neighbours swapped). Libraries compute whole distances, mostly without
 * swaps; this question needs one pass.
 */
export function nearName(name: string, known: Iterable<string>): string | undefined {
  const folded = name.toLowerCase()
  let near: string | undefined
  for (const candidate of known) {
    const other = candidate.toLowerCase()
    if (other === folded) return candidate
    // The text `ta` is taken for `at`, not for `to`: a swap is the likelier slip.
    if (isOneEdit(folded, other) && (near === undefined || lettersOf(other) === lettersOf(folded))) near = candidate
  }
  return near
}

const lettersOf = (name: string): string => [...name].sort().join('')

/** Tells whether the rest between the common beginning and the common end of both is one edit. */
function isOneEdit(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false
  let start = 0
  while (start < a.length && a[start] === b[start]) start++
  let end = 0
  const room = Math.min(a.length, b.length) - start
  while (end < room && a.at(-1 - end) === b.at(-1 - end)) end++
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)]
  if (left.length <= 1 && right.length <= 1) return true
  return left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0]
}
