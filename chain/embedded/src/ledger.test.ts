import {
  type ChainEvent,
  callHash,
  calls,
  decodeEvents,
  didSvc,
  forceBatch,
  type Hex32,
  parseHex32,
  schemaId,
} from '@accredit/chain'
import { blake2AsU8a } from '@polkadot/util-crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MAX_EVENTS } from './blocks/block-budget.js'
import { ExtrinsicRefused } from './blocks/submission.js'
import { trieRoot } from './executor/trie-root.js'
import type { Ledger } from './ledger.js'
import { readHeader } from './runtime/header.js'
import { bytesOf, type Hex, hexOf } from './store/store.js'
import { Actor } from './testing/actor.js'
import { FeePayer } from './testing/fee-payer.js'
import { openPaidLedger, type PaidLedger } from './testing/paid-ledger.js'

let paid: PaidLedger
let ledger: Ledger
let payer: FeePayer

beforeAll(async () => {
  paid = await openPaidLedger()
  ;({
    opened: { ledger },
    payer,
  } = paid)
})

afterAll(() => paid.close())

describe('the genesis block', () => {
  test('has the hash of a header whose state root stands for every entry of its state', async () => {
    const genesis = await ledger.chain.store.blockAt(0)
    const keys = await ledger.chain.store.keysAt('0x', 1_000, undefined, 0)
    const values = await ledger.chain.valuesAt(keys, 0)
    const entries = keys.map((key, position) => [bytesOf(key), bytesOf(values[position] ?? '0x')] as const)
    expect(readHeader(genesis?.header ?? '0x').stateRoot).toBe(hexOf(trieRoot(entries, 1)))
    expect(genesis?.hash).toBe(hexOf(blake2AsU8a(bytesOf(genesis?.header ?? '0x'), 256)))
  })

  test('is what the runtime itself knows as block 0', async () => {
    await ledger.producer.produce()
    const known = await payer.api.query.system?.blockHash?.(0)
    expect(known?.toHex()).toBe(paid.opened.genesisHash)
  })
})

describe('a block', () => {
  test('carries a signed action, with the events of its calls after it and the hash that its author signed', async () => {
    const actor = new Actor(payer.place)
    await payer.submit(actor.create())
    const registryId = schemaId(`registry of ${actor.did}`)
    const schema = schemaId('https://example.org/degree')
    const actions = [
      calls.trustRegistry.initOrUpdate({ registryId, name: 'Ünïversities', govFramework: 'https://example.org/gov' }),
      calls.trustRegistry.setSchemasMetadata({
        registryId,
        update: {
          Modify: new Map([
            [
              schema,
              {
                Ensure: {
                  issuers: {
                    Modify: new Map([
                      [
                        actor.did,
                        {
                          Set: new Map([
                            ['USD', 1_000_000n],
                            ['EUR', 2n ** 90n],
                          ]),
                        },
                      ],
                    ]),
                  },
                },
              },
            ],
          ]),
        },
      }),
    ]
    const { blockHash, index } = await payer.submit(actor.act(actions))
    const events = (await eventsOf(blockHash)).filter((event) => event.extrinsic === index)
    expect(events.filter(isOurs).map((event) => event.name)).toEqual([
      'Dispatched',
      'TrustRegistryInitialized',
      'SchemaAdded',
      'IssuerChanged',
      'SchemasMetadataSet',
    ])
    expect(named(events, 'Dispatched')).toMatchObject({
      did: actor.did,
      keyId: 1,
      nonce: 1,
      callHash: callHash(actions),
    })
    expect(named(events, 'TrustRegistryInitialized')).toMatchObject({ registryId, name: 'Ünïversities' })
    expect(named(events, 'IssuerChanged')).toMatchObject({
      issuer: actor.did,
      old: null,
      new: { EUR: String(2n ** 90n), USD: 1_000_000 },
    })
  })

  test('gives every extrinsic its own events when others that came with it are refused', async () => {
    const [first, second] = [new Actor(payer.place), new Actor(payer.place)]
    const stale = await payer.sign(forceBatch([]), 0)
    const good = await payer.sign(first.create())
    const forged = forge(await payer.sign(forceBatch([]), 0))
    const alsoGood = await payer.sign(second.create())
    const [staleEnd, goodEnd, forgedEnd, alsoGoodEnd] = await Promise.allSettled(
      [stale, good, forged, alsoGood].map((extrinsic) => ledger.producer.submit(extrinsic).included),
    )
    expect(staleEnd).toMatchObject({ status: 'rejected', reason: { code: 1010, data: 'Transaction is outdated' } })
    expect(forgedEnd).toMatchObject({
      status: 'rejected',
      reason: { code: 1010, data: 'Transaction has a bad signature' },
    })
    expect(await createdBy(goodEnd)).toEqual([first.did])
    expect(await createdBy(alsoGoodEnd)).toEqual([second.did])
  })

  test('takes a nonce that came too early when its turn comes', async () => {
    const nonce = (await payer.api.rpc.system.accountNextIndex(payer.pair.address)).toNumber()
    const early = ledger.producer.submit(await payer.sign(forceBatch([]), nonce + 1))
    await early.accepted
    expect(early.waits).toBe(true)
    await ledger.producer.submit(await payer.sign(forceBatch([]), nonce)).included
    await expect(early.included).resolves.toMatchObject({ index: 1 })
    await payer.sign(forceBatch([])) // its nonces are used up
    await payer.sign(forceBatch([]))
  })

  test('closes before it holds more events than a reader takes at once', async () => {
    const before = ledger.head.number
    const batches = Array.from({ length: 10 }, () =>
      forceBatch(Array.from({ length: 100 }, () => new Actor(payer.place).create())),
    )
    await Promise.all(batches.map(async (batch) => payer.submit(batch)))
    expect(ledger.head.number).toBeGreaterThan(before + 1)
    for (let number = before + 1; number <= ledger.head.number; number += 1) {
      const block = await ledger.chain.store.blockAt(number)
      expect((await eventsOf(block?.hash ?? '0x')).length).toBeLessThanOrEqual(MAX_EVENTS)
    }
  })

  test('is never taken from unsigned extrinsics, which are the author’s own', async () => {
    const runtime = await ledger.chain.runtimeAt(ledger.head.number)
    const inherent = runtime.timestampInherent(Date.now())
    expect(() => ledger.producer.submit(inherent)).toThrow(ExtrinsicRefused)
    expect(() => ledger.producer.submit('0x00')).toThrow(ExtrinsicRefused)
  })
})

describe('a fork', () => {
  test('goes on from the head on its own, and leaves the ledger as it was', async () => {
    const before = ledger.head
    const fork = await ledger.fork()
    const forkPayer = await FeePayer.on(fork, payer.pair)
    const actor = new Actor(forkPayer.place)
    await forkPayer.submit(actor.create())
    expect(fork.head.number).toBe(before.number + 1)
    expect(readHeader(fork.head.header).parentHash).toBe(before.hash)
    expect(ledger.head).toBe(before)
    await forkPayer.close()
    await fork.close()
  })

  test('keeps the time of its parent when the clock goes back', async () => {
    const fork = await ledger.fork({ clock: () => Date.now() - 86_400_000 })
    await fork.producer.produce()
    const key = (await fork.chain.runtimeAt(0)).storageKey('timestamp', 'now')
    expect(await fork.chain.valueAt(key, fork.head.number)).toBe(await ledger.chain.valueAt(key, ledger.head.number))
    await fork.close()
  })
})

async function eventsOf(hash: Hex): Promise<readonly ChainEvent[]> {
  const block = await ledger.chain.store.blockOf(hash)
  const key = (await ledger.chain.runtimeAt(0)).storageKey('system', 'events')
  return decodeEvents((await ledger.chain.valueAt(key, block?.number ?? -1)) ?? '0x00')
}

async function createdBy(end: PromiseSettledResult<{ blockHash: Hex; index: number }> | undefined): Promise<unknown[]> {
  if (end?.status !== 'fulfilled') throw new Error('the extrinsic is in no block')
  const events = await eventsOf(end.value.blockHash)
  const own = events.filter((event) => event.extrinsic === end.value.index && event.name === 'Created')
  return own.map((event) => didOfId(event))
}

function didOfId(event: ChainEvent): unknown {
  const id: Hex32 | undefined = parseHex32(String(event.data.did))
  return id && didSvc(id)
}

function named(events: readonly ChainEvent[], name: string): ChainEvent['data'] | undefined {
  return events.find((event) => event.name === name)?.data
}

function isOurs({ pallet }: ChainEvent): boolean {
  return ['Did', 'TrustRegistry', 'Revocation'].includes(pallet)
}

/** Turns one bit of an extrinsic's signature. */
function forge(extrinsic: Hex): Hex {
  const encoded = bytesOf(extrinsic)
  const inSignature = 60
  encoded[inSignature] = (encoded[inSignature] ?? 0) ^ 1
  return hexOf(encoded)
}
