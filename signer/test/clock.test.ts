/** A signer whose clock is not the ledger's: its actions are refused once at most, since each refusal costs a fee. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { calls } from '@accredit/chain'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { act, newDid, openSignerHere, openWorld, randomHex32, settled, type TestSigner, type World } from './support.js'

let world: World
let signer: TestSigner
let clockFile: string
beforeAll(async () => {
  world = await openWorld()
  clockFile = join(world.folder, 'clock-offset')
  await writeFile(clockFile, '0')
  signer = await openSignerHere(world, { CLOCK_OFFSET_FILE: clockFile, ACCREDIT_TEST: '1' })
})
afterAll(async () => {
  await signer?.stop()
  await world?.close()
})

const turnClock = (minutes: number) => writeFile(clockFile, String(minutes * 60_000))
const extrinsics = async () => {
  const { rows } = await world.sql.query('select count(*)::int as count from signer.extrinsics')
  return rows[0].count
}

test('is told once how far it is ahead, goes by the ledger’s time then, and finds back when it is set right', async () => {
  const did = await newDid(signer.client)
  await signer.client.submitActions([did.creation])
  await settled(signer.client, [did.creation.id])
  let sequence = 1
  /** Counts the extrinsics that it takes to bring one action to the ledger. */
  const paid = async () => {
    const before = await extrinsics()
    const call = calls.trustRegistry.initOrUpdate({ registryId: randomHex32(), name: 'Kenya', govFramework: 'x' })
    const action = act(did, sequence++, [call])
    await signer.client.submitActions([action])
    const states = await settled(signer.client, [action.id])
    expect(states.get(action.id)).toMatchObject({ state: 'final' })
    return (await extrinsics()) - before
  }
  await turnClock(44)
  expect(await paid()).toBe(1)
  await turnClock(46)
  expect(await paid()).toBe(2)
  expect(await paid()).toBe(1)
  await turnClock(0)
  expect(await paid()).toBe(1)
  // Nothing happens for two hours: the signer's correction is older than its clock, and the ledger's last block is of
  // no help.
  world.clockOffset.ms += 120 * 60_000
  await turnClock(120)
  expect(await paid()).toBe(2)
  expect(await paid()).toBe(1)
})
