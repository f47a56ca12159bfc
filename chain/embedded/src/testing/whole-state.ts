import type { Hex, Store } from '../store/store.js'

const PAGE = 1_000

/** Returns every entry of the state as of a block. */
export async function wholeState(store: Store, number: number): Promise<Map<Hex, Hex>> {
  const state = new Map<Hex, Hex>()
  let page: Hex[] = []
  do {
    page = await store.keysAt('0x', PAGE, page.at(-1), number)
    const values = await store.valuesAt(page, number)
    for (const [position, key] of page.entries()) state.set(key, values[position] ?? '0x')
  } while (page.length === PAGE)
  return state
}
