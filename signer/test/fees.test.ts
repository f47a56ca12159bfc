import { calls, chainTypes } from '@accredit/chain'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openFeeAccount } from '../src/actions/fee-account.js'
import { openDatabase } from '../src/database.js'
import { openVault } from '../src/keys/data-keys.js'
import { openMasterKeyFile } from '../src/keys/master-key.js'
import { systemRandomness } from '../src/randomness.js'
import { bring, newAccount, transfer } from './account.js'
import { effects } from './effects.js'
import {
  act,
  newDid,
  openSignerHere,
  openWorld,
  randomHex32,
  settled,
  type TestSigner,
  until,
  type World,
} from './support.js'

describe('a fee account without money', () => {
  const patron = newAccount()
  let world: World
  let signer: TestSigner

  beforeAll(async () => {
    world = await openWorld([patron.address])
    await bring(world.ledger.url, await feeAccountOf(world), [
      chainTypes().call('balances', 'transferAll', { Id: patron.address }, true),
    ])
    // The minimum is lower than any fee: only the ledger's answers show that the account is poor.
    signer = await openSignerHere(world, { FEE_ACCOUNT_MIN: '0' })
  })
  afterAll(async () => {
    await signer.stop()
    await world.close()
  })

  test('keeps actions waiting, says so once, and goes on without a restart when it is given some', async () => {
    const actor = await newDid(signer.client)
    const registryId = randomHex32()
    const action = act(actor, 1, [calls.trustRegistry.initOrUpdate({ registryId, name: 'Kenya', govFramework: 'x' })])
    await signer.client.submitActions([actor.creation])
    await until(async () => (await signer.client.chainStatus()).fees.isPoor)
    await signer.client.submitActions([action])
    // Blocks of others, and one in which it gets too little, change nothing.
    for (const gift of [[], [], [transfer(world.feeAccount, 1n)]]) await bring(world.ledger.url, patron, gift)
    const { fees } = await signer.client.chainStatus()
    expect(fees).toMatchObject({ isPoor: true, waitingActions: 2 })
    expect(await extrinsics()).toBe(1)
    expect(await signer.client.health()).toEqual({ status: 'poor' })
    await bring(world.ledger.url, patron, [transfer(world.feeAccount, 10n ** 15n)])
    const states = await settled(signer.client, [actor.creation.id, action.id])
    expect([...states.values()].map(({ state }) => state)).toEqual(['final', 'final'])
    expect((await signer.client.chainStatus()).fees).toMatchObject({ isPoor: false, waitingActions: 0 })
    expect((await effects(world.ledger.url)).happened.get(actor.did)).toHaveLength(2)
    const said = () => signer.lines.filter((line) => line.includes('fee account'))
    await expect
      .poll(said)
      .toMatchObject([expect.stringContaining('is poor'), expect.stringContaining('can pay again')])
  })

  test('is named in the log of a signer that starts with less than its minimum', async () => {
    await signer.stop()
    signer = await openSignerHere(world, { FEE_ACCOUNT_MIN: `1${'0'.repeat(20)}` })
    await expect.poll(() => signer.lines.some((line) => line.includes('The fee account is poor'))).toBe(true)
    expect(await signer.client.health()).toEqual({ status: 'poor' })
    const before = await extrinsics()
    await signer.client.submitActions([(await newDid(signer.client)).creation])
    await bring(world.ledger.url, patron, [])
    expect(await extrinsics()).toBe(before)
  })

  test('is poor as soon as its own fees take it below its minimum', async () => {
    await signer.stop()
    signer = await openSignerHere(world, { FEE_ACCOUNT_MIN: '0' })
    await until(async () => (await signer.client.chainStatus()).fees.waitingActions === 0)
    const { balance } = (await signer.client.chainStatus()).fees
    await signer.stop()
    signer = await openSignerHere(world, { FEE_ACCOUNT_MIN: balance })
    expect((await signer.client.chainStatus()).fees).toMatchObject({ isPoor: false })
    const { creation } = await newDid(signer.client)
    await signer.client.submitActions([creation])
    await settled(signer.client, [creation.id])
    await until(async () => (await signer.client.chainStatus()).fees.isPoor)
  })

  const extrinsics = async (): Promise<number> =>
    (await world.sql.query('select count(*)::int as count from signer.extrinsics')).rows[0].count
})

async function feeAccountOf({ databaseUrl, masterKeyFile }: World) {
  const { db, close } = openDatabase(databaseUrl, systemRandomness)
  const vault = await openVault(db, openMasterKeyFile(masterKeyFile, systemRandomness), systemRandomness)
  const account = await openFeeAccount(db, vault)
  await close()
  return account
}
