import type { Hex, Store } from '../store.js'

const PAGE = 1_000

/** Every entry of the state as of a block. */
export async function wholeState(store: Store, number: number): Promise<Map<Hex, Hex>> {
  const state = new Map<Hex, Hex>()
  let page: Hex[] = []
  do {
    page = await store.keysAt('0x', PAGE, page.at(-1), number)
    for (const key of page) state.set(key, (await store.valueAt(key, number)) ?? '0x')
  } while (page.length === PAGE)
  return state
}
