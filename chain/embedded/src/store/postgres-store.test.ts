import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ScratchDatabase, scratchDatabase } from '../../../../test/support/scratch-database.js'
import { ForkStore } from './fork-store.js'
import { PostgresStore } from './postgres-store.js'
import type { Hex, Store, StoredBlock } from './store.js'

let scratch: ScratchDatabase
let store: PostgresStore

beforeAll(async () => {
  scratch = await scratchDatabase()
  store = await PostgresStore.open(scratch.url, fail)
  await store.append(
    block(0),
    new Map<Hex, Hex>([
      ['0x0a', '0x00'],
      ['0x0a01', '0x01'],
      ['0x0aff', '0x02'],
      ['0x0b', '0x03'],
    ]),
  )
  await store.append(
    block(1),
    new Map<Hex, Hex | null>([
      ['0x0a01', null],
      ['0x0a02', '0x04'],
    ]),
  )
  await store.append(block(2), new Map<Hex, Hex>([['0x0a01', '0x05']]))
})

afterAll(async () => {
  await store.close()
  await scratch.drop()
})

describe('a store in Postgres', () => {
  test('answers for every past block what was true then', async () => {
    const keys: Hex[] = ['0x0b', '0x0a01', '0x0c', '0x0a02', '0x0b']
    expect(await store.valuesAt(keys, 0)).toEqual(['0x03', '0x01', undefined, undefined, '0x03'])
    expect(await store.valuesAt(keys, 1)).toEqual(['0x03', undefined, undefined, '0x04', '0x03'])
    expect(await store.valuesAt(keys, 2)).toEqual(['0x03', '0x05', undefined, '0x04', '0x03'])
    expect(await store.writesOf('0x0a01')).toEqual([0, 1, 2])
  })

  test('pages through the keys of a prefix in order, without those that are removed', async () => {
    expect(await store.keysAt('0x0a', 10, undefined, 0)).toEqual(['0x0a', '0x0a01', '0x0aff'])
    expect(await store.keysAt('0x0a', 10, undefined, 1)).toEqual(['0x0a', '0x0a02', '0x0aff'])
    expect(await store.keysAt('0x0a', 2, '0x0a', 2)).toEqual(['0x0a01', '0x0a02'])
    expect(await store.keysAt('0x', 10, '0x0aff', 2)).toEqual(['0x0b'])
  })

  test('finds blocks by number, by hash and as head, without extrinsics, with an empty one and with several', async () => {
    expect(await store.head()).toEqual(block(2))
    expect(await store.blockAt(1)).toEqual(block(1))
    expect(await store.blockOf(block(0).hash)).toEqual(block(0))
    expect(await store.blockAt(3)).toBeUndefined()
  })

  test('takes no second block of a number, and nothing of it', async () => {
    await expect(
      store.append({ ...block(2), hash: block(9).hash }, new Map<Hex, Hex>([['0x0c', '0x01']])),
    ).rejects.toThrow()
    expect(await store.valuesAt(['0x0c'], 2)).toEqual([undefined])
  })

  test('has one writer at a time', async () => {
    await expect(PostgresStore.open(scratch.url, fail)).rejects.toThrow('another ledger is running on this database')
  })
})

describe('a store in memory on top of another', () => {
  let fork: Store

  beforeAll(async () => {
    fork = new ForkStore(store, block(1))
    await fork.append(
      { ...block(2), hash: block(7).hash },
      new Map<Hex, Hex | null>([
        ['0x0a02', null],
        ['0x0a03', '0x06'],
      ]),
    )
  })

  test('sees its own blocks and the other up to where it forked', async () => {
    expect((await fork.head())?.hash).toBe(block(7).hash)
    expect(await fork.valuesAt(['0x0a01', '0x0a', '0x0a02'], 2)).toEqual([undefined, '0x00', undefined])
    expect(await fork.valuesAt(['0x0a02'], 1)).toEqual(['0x04'])
    expect(await fork.keysAt('0x0a', 10, undefined, 2)).toEqual(['0x0a', '0x0a03', '0x0aff'])
    expect(await fork.blockOf(block(2).hash)).toBeUndefined()
  })

  test('leaves the other as it was', async () => {
    expect(await store.valuesAt(['0x0a03'], 2)).toEqual([undefined])
    expect(await store.head()).toEqual(block(2))
  })
})

function block(number: number): StoredBlock {
  const extrinsics: Hex[][] = [[], ['0x'], ['0x0102', '0x']]
  const hash: Hex = `0x${String(number).padStart(64, '0')}`
  return { number, hash, header: '0x00', extrinsics: extrinsics[number] ?? ['0x03'] }
}

function fail(cause: Error): void {
  throw cause
}
