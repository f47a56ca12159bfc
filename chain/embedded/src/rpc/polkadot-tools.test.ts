import { ApiPromise } from '@polkadot/api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ScratchDatabase, scratchDatabase } from '../../../../test/support/scratch-database.js'
import { type KeyPair, randomKeys } from '../keys.js'
import { type OpenLedger, openLedger } from '../open-ledger.js'
import { randomPair } from '../testing/fee-payer.js'
import { socketTo } from '../testing/ledger-process.js'

interface BlockWithEvents {
  readonly events: readonly { readonly event: { readonly method: string } }[]
}

let scratch: ScratchDatabase
let opened: OpenLedger
let api: ApiPromise
let pair: KeyPair
let other: KeyPair

beforeAll(async () => {
  ;[scratch, pair, other] = [await scratchDatabase(), await randomPair(), await randomPair()]
  opened = await openLedger({ databaseUrl: scratch.url, keys: randomKeys(), feeAccounts: [pair.address] })
  api = await ApiPromise.create({ provider: await socketTo(opened.url), noInitWarn: true })
})

afterAll(async () => {
  await api.disconnect()
  await opened.close()
  await scratch.drop()
})

test('@polkadot/api sends a mortal transfer at the announced fee, and follows it until it is final', async () => {
  const before = opened.ledger.head
  const transfer = transferOf(10n ** 12n)
  const { partialFee, weight } = await transfer.paymentInfo(pair)
  const [balance, theirs] = [await freeOf(pair), await freeOf(other)]
  const statuses = await sent(transfer)
  expect([statuses[0], statuses.at(-1)]).toEqual(['Ready', 'Finalized'])
  expect(balance - (await freeOf(pair))).toBe(10n ** 12n + partialFee.toBigInt())
  expect((await freeOf(other)) - theirs).toBe(10n ** 12n)
  expect(transfer.era.isMortalEra).toBe(true)

  const asked: unknown = await opened.ledger.provider().send('payment_queryInfo', [transfer.toHex()])
  expect(asked).toEqual({
    weight: { ref_time: weight.refTime.toNumber(), proof_size: weight.proofSize.toNumber() },
    class: 'normal',
    partialFee: partialFee.toString(),
  })
  const { inclusionFee } = await api.rpc.payment.queryFeeDetails(transfer.toHex())
  const { baseFee, lenFee, adjustedWeightFee } = inclusionFee.unwrap()
  expect(baseFee.toBigInt() + lenFee.toBigInt() + adjustedWeightFee.toBigInt()).toBe(partialFee.toBigInt())

  const past = await api.at(before.hash)
  expect(await numberIn(past.query.system?.number?.())).toBe(before.number)
  expect(await numberIn(api.query.system?.number?.())).toBe(opened.ledger.head.number)
  const accounts = await api.query.system?.account?.entries()
  expect(accounts?.map(([key]) => key.args[0]?.toString())).toEqual(
    expect.arrayContaining([pair.address, other.address]),
  )
})

test('@polkadot/api has the time to look at the block before it hears that the block is final', async () => {
  const heard: string[] = []
  // The tool may be slow several times, on a machine that has much to do.
  for (let round = 0; round < 10 && !heard.includes('InBlock'); round += 1) heard.push(...(await sent(transferOf(1n))))
  expect(heard).toContain('InBlock')
})

test('@polkadot/api follows heads, blocks with their events, storage and the runtime, and stops when told to', async () => {
  const heard: string[] = []
  const hear = (line: string) => {
    heard.push(line)
  }
  const { chain } = api.derive
  const ends = await Promise.all([
    api.rpc.chain.subscribeNewHeads(({ number }) => hear(`head ${number}`)),
    api.rpc.chain.subscribeFinalizedHeads(({ number }) => hear(`final ${number}`)),
    chain.subscribeNewBlocks((block) => hear(`block ${block.block.header.number} with ${succeeded(block)}`)),
    api.queryMulti([numberEntry()], (numbers) => hear(`number ${numbers}`)),
    api.rpc.state.subscribeRuntimeVersion(({ specName }) => hear(`runtime ${specName}`)),
  ])
  const { number } = opened.ledger.head
  await sent(transferOf(1n))
  for (const what of ['head', 'final', 'number']) {
    await expect.poll(() => heard).toEqual(expect.arrayContaining([`${what} ${number}`, `${what} ${number + 1}`]))
  }
  expect(heard).toContain('runtime accredit')
  await expect.poll(() => heard).toContain(`block ${number + 1} with 2`)
  for (const end of ends) end()
  const until = heard.length
  await sent(transferOf(1n))
  expect(heard).toHaveLength(until)
})

test('api.derive.chain tells heads, and any block with its events', async () => {
  const { chain } = api.derive
  const { hash, number } = opened.ledger.head
  expect((await chain.bestNumber()).toNumber()).toBe(number)
  expect((await chain.bestNumberFinalized()).toNumber()).toBe(number)
  expect((await chain.bestNumberLag()).toNumber()).toBe(0)
  expect((await chain.getHeader(hash)).hash.toHex()).toBe(hash)
  expect(succeeded(await chain.getBlock(hash))).toBe(2)
  expect((await chain.getBlockByNumber(number)).block.header.hash.toHex()).toBe(hash)
  expect((await api.rpc.chain.getBlockHash(number)).toHex()).toBe(hash)
  expect((await api.rpc.chain.getFinalizedHead()).toHex()).toBe(hash)
  expect((await api.rpc.system.syncState()).currentBlock.toNumber()).toBe(number)
  expect((await api.rpc.system.peers()).toArray()).toEqual([])
})

test('an invalid extrinsic is refused with the errors that tools know', async () => {
  const stale = await transferOf(1n).signAsync(pair, { nonce: 0 })
  await expect(api.rpc.author.submitExtrinsic(stale)).rejects.toThrow(
    /1010: Invalid Transaction: Transaction is outdated/,
  )
  const poor = await transferOf(1n).signAsync(await randomPair(), { nonce: 0 })
  await expect(api.rpc.author.submitExtrinsic(poor)).rejects.toThrow(/Inability to pay some fees/)
  expect((await api.rpc.author.pendingExtrinsics()).toArray()).toEqual([])
})

function numberEntry() {
  const entry = api.query.system?.number
  if (!entry) throw new Error('the chain has no numbers')
  return entry
}

function transferOf(amount: bigint) {
  const transfer = api.tx.balances?.transferKeepAlive
  if (!transfer) throw new Error('the chain has no transfers')
  return transfer(other.address, amount)
}

/** Signs and sends; returns the reported statuses, when it is final. */
async function sent(transfer: ReturnType<typeof transferOf>): Promise<string[]> {
  const statuses: string[] = []
  await new Promise<void>((resolve, reject) => {
    transfer
      .signAndSend(pair, ({ status, dispatchError }) => {
        statuses.push(status.type)
        if (dispatchError) reject(new Error(dispatchError.toString()))
        if (status.isFinalized) resolve()
      })
      .catch(reject)
  })
  return statuses
}

async function freeOf({ address }: KeyPair): Promise<bigint> {
  const balances = await api.derive.balances.all(address)
  return balances.freeBalance.toBigInt()
}

async function numberIn(asked: Promise<unknown> | undefined): Promise<number> {
  return Number(await asked)
}

function succeeded({ events }: BlockWithEvents): number {
  return events.filter(({ event }) => event.method === 'ExtrinsicSuccess').length
}
