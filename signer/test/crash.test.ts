import { randomInt } from 'node:crypto'
import { calls, chainTypes, decodeEvents, didSvc, parseHex32 } from '@accredit/chain'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Action } from '../src/client.js'
import {
  act,
  launchSigner,
  newDid,
  openWorld,
  type RunningSigner,
  randomHex32,
  settled,
  startSigner,
  type World,
} from './support.js'

/** `npm run soak` raises it. */
const kills = Number(process.env.SIGNER_KILLS ?? 5)

describe('a signer that is killed again and again', () => {
  let world: World
  let signer: RunningSigner

  beforeAll(async () => {
    world = await openWorld()
    signer = await startSigner(world)
  })
  afterAll(async () => {
    await signer.kill()
    await world.close()
  })

  test('brings every action to effect exactly once, each DID in its order', {
    timeout: 60_000 + kills * 10_000,
  }, async () => {
    const actors = await Promise.all(Array.from({ length: 10 }, () => newDid(signer.client)))
    let actions: Action[] = actors.map(({ creation }) => creation)
    let sequence = 0
    for (let round = 0; round < kills; round += 1) {
      const more = actors.flatMap((actor) => [
        act(actor, sequence + 1, [named(sequence + 1)]),
        act(actor, sequence + 2, [named(sequence + 2)]),
      ])
      sequence += 2
      await signer.client.submitActions([...(round === 0 ? actions : []), ...more])
      actions = [...actions, ...more]
      await killSoon()
    }
    const states = await settled(
      signer.client,
      actions.map(({ id }) => id),
      60_000,
    )
    expect([...states.values()].filter(({ state }) => state !== 'final')).toEqual([])
    const seen = await effects(world)
    for (const { did } of actors) {
      expect(seen.get(did)).toEqual(['created', ...Array.from({ length: sequence }, (_, index) => `act ${index + 1}`)])
    }
  })

  async function killSoon() {
    await pause(randomInt(150))
    await signer.kill('SIGKILL')
    const dying = launchSigner(world)
    await pause(400 + randomInt(400))
    await dying.kill('SIGKILL')
    signer = await startSigner(world)
  }
})

/** Chance decides where in its work the process is hit. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** A call whose event tells which action it was: the registry's name is the action's number. */
function named(sequence: number) {
  return calls.trustRegistry.initOrUpdate({ registryId: randomHex32(), name: String(sequence), govFramework: 'x' })
}

/** What the ledger says happened, by DID, in its order. */
async function effects(world: World): Promise<Map<string, string[]>> {
  const { chain } = world.ledger.ledger
  const eventsKey = chainTypes().storageKey('system', 'events')
  const seen = new Map<string, string[]>()
  const note = (did: string, what: string) => seen.set(did, [...(seen.get(did) ?? []), what])
  for (let number = 1; number <= chain.head.number; number += 1) {
    const bytes = await chain.valueAt(eventsKey, number)
    for (const { name, pallet, data } of bytes === undefined ? [] : decodeEvents(bytes)) {
      if (pallet === 'Did' && name === 'Created') note(didOf(data.did), 'created')
      if (name === 'TrustRegistryInitialized') note(String(data.convener), `act ${String(data.name)}`)
    }
  }
  return seen
}

function didOf(id: unknown): string {
  const hex = parseHex32(String(id))
  return hex === undefined ? '' : didSvc(hex)
}
