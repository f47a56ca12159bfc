/** Runs over all items, at most `atOnce` at a time; results in the items' order. */
export async function mapConcurrent<T, R>(
  items: readonly T[],
  atOnce: number,
  run: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  for (let start = 0; start < items.length; start += atOnce)
    results.push(...(await Promise.all(items.slice(start, start + atOnce).map(run))))
  return results
}
