import { calls, hex32Of } from '@accredit/chain'
import { openLedger } from '@accredit/embedded-ledger'
import { Actor } from '../../chain/embedded/dist/testing/actor.js'
import { FeePayer, randomPair } from '../../chain/embedded/dist/testing/fee-payer.js'

const REGISTRY = id(1)
const STATUS_LIST = id(2)
const SCHEMAS = 50

/**
 * Makes the chain of a database at least so long: blocks of one action each, two or three events of the three pallets.
 */
export async function makeChain(databaseUrl, keyFile, blocks) {
  const pair = await randomPair()
  const opened = await openLedger({ databaseUrl, keys: { file: keyFile }, feeAccounts: [pair.address] })
  try {
    if (opened.ledger.head.number >= blocks) return
    if (opened.ledger.head.number > 1) throw new Error('the chain is too short and its fee account is lost: drop it')
    const payer = await FeePayer.on(opened.ledger, pair)
    const convener = new Actor(payer.place)
    await payer.submit(convener.create())
    await payer.submit(convener.act(beginning(convener)))
    while (opened.ledger.head.number < blocks) {
      await payer.submit(action(opened.ledger.head.number, convener, payer))
      if (opened.ledger.head.number % 500 === 0) console.error(`${opened.ledger.head.number} blocks made`)
    }
    await payer.close()
  } finally {
    await opened.close()
  }
}

function beginning({ did }) {
  const kind = { StatusList: { length: 1 << 20 } }
  return [
    calls.trustRegistry.initOrUpdate({ registryId: REGISTRY, name: 'Bench', govFramework: 'https://x/1' }),
    calls.revocation.create({ registryId: STATUS_LIST, policy: [did], addOnly: false, kind }),
  ]
}

/** The actions take turns: a new DID (two events), a listed issuer (three or four), a new price (three), a revocation (two). */
function action(turn, convener, payer) {
  if (turn % 4 === 0) return new Actor(payer.place).create()
  if (turn % 4 === 3) return convener.act([calls.revocation.setStatus({ registryId: STATUS_LIST, revoke: [turn] })])
  const issuer = new Actor(payer.place).did
  const listed = turn % 4 === 1 ? issuer : convener.did
  const prices = new Map([['EUR', BigInt(turn)]])
  const issuers = { Modify: new Map([[listed, { Set: prices }]]) }
  const update = { Modify: new Map([[id(10 + (turn % SCHEMAS)), { Ensure: {} }]]) }
  const priced = { Modify: new Map([[id(10 + (turn % SCHEMAS)), { Modify: { issuers } }]]) }
  return convener.act([
    ...(turn < 4 * SCHEMAS ? [calls.trustRegistry.setSchemasMetadata({ registryId: REGISTRY, update })] : []),
    calls.trustRegistry.setSchemasMetadata({ registryId: REGISTRY, update: priced }),
  ])
}

function id(number) {
  const bytes = new Uint8Array(32)
  new DataView(bytes.buffer).setUint32(0, number)
  return hex32Of(bytes)
}
