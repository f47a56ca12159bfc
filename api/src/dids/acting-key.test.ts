import { AsyncResource } from 'node:async_hooks'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { databaseWithTeam } from '../platform/testing/for-all-tests.js'
import { testContext } from '../platform/testing/scratch-database.js'
import { openChange } from './changes/open-jobs.store.js'
import { actingKey, insertDid, insertKeys, lockDid, retireKey } from './did.store.js'

const world = databaseWithTeam()

const key = (keyId: number) => ({
  keyId,
  keyRef: `ref-${keyId}`,
  kind: 'Ed25519' as const,
  relationships: 7,
  publicKey: `0x${String(keyId).repeat(64)}` as const,
})

/** Resolves when somebody in the scratch database waits for a lock. */
async function untilSomebodyWaits(): Promise<void> {
  const waits = () =>
    world().scratch.db.call(sql`select 1 from pg_locks join pg_stat_activity using (pid)
      where datname = current_database() and not granted`)
  while ((await waits()).length === 0);
}

test('an action that meets a rotation waits for it and is signed with the new key', async () => {
  const did = 'did:svc:1111111111111111'
  const { scratch, team } = world()
  const { scope } = testContext(scratch, team)
  const now = new Date()
  await scratch.db.transaction(scope, async (tx) =>
    insertDid(tx, { did, team: team.team, type: 'ledgerA', controllers: [did], services: [], keys: [key(1)], now }),
  )
  const another = new AsyncResource('another caller')
  let acting: ReturnType<typeof actingKey> | undefined
  await scratch.db.transaction(scope, async (tx) => {
    await lockDid(tx, did)
    await retireKey(tx, did, 'ref-1')
    insertKeys(tx, { did, team: team.team, keys: [key(2)], state: 'pending' })
    await openChange(tx, did, { jobId: 'a-rotation', now })
    acting = another.runInAsyncScope(() => scratch.db.transaction(scope, (other) => actingKey(other, did)))
    await Promise.race([acting, untilSomebodyWaits()])
  })
  expect(await acting).toEqual({ did, keyId: 2, keyRef: 'ref-2' })
})

test('a DID without an acting key is 400, an unknown one 404', async () => {
  const { scratch, team } = world()
  const { scope } = testContext(scratch, team)
  const did = 'did:svc:2222222222222222'
  const keys = [
    { ...key(3), kind: 'X25519' as const },
    { ...key(4), relationships: 2 },
  ]
  const acting = (whose: string) => scratch.db.transaction(scope, (tx) => actingKey(tx, whose))
  await scratch.db.transaction(scope, async (tx) =>
    insertDid(tx, { did, team: team.team, type: 'ledgerA', controllers: [did], services: [], keys, now: new Date() }),
  )
  await expect(acting(did)).rejects.toMatchObject({
    type: 'invalid_request',
    message: `None of the keys of ${did} that are here can act on the ledger: that takes an Ed25519 key for authentication or capabilityInvocation`,
  })
  await expect(acting('did:svc:3333333333333333')).rejects.toMatchObject({ type: 'not_found' })
})
