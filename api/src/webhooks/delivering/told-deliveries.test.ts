import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { listen } from '../../platform/database/listen.js'
import { EVENTS_CHANNEL, tellOfEvents } from '../../platform/database/outgoing-events.js'
import { forAllTests } from '../../platform/testing/for-all-tests.js'
import { openDeliveries } from '../testing.js'

const open = forAllTests(() => openDeliveries())

test('events wake the worker where a web hook waits for them, and otherwise nobody', async () => {
  const { scratch, environment, team, hook, receiver, emit } = open()
  const heard: unknown[] = []
  const ear = listen(
    scratch.systemUrl,
    [EVENTS_CHANNEL, 'mark'],
    (what) => heard.push(what?.channel ?? 'listens'),
    environment.log,
  )
  /** Tells of the events so far, and returns what was heard until then. */
  const tell = async () => {
    await scratch.db.call(tellOfEvents)
    await scratch.db.call(sql`select pg_notify('mark', '')`)
    await expect.poll(() => heard).toContain('mark')
    return heard.splice(0)
  }
  await expect.poll(() => heard).toEqual(['listens'])
  heard.length = 0
  const [without, hooked] = await Promise.all([team(), team()])
  await hook(hooked, (await receiver()).url)
  await emit(without, 'did:a', 1)
  expect(await tell()).toEqual(['mark'])
  await emit(hooked, 'did:a', 1)
  expect(await tell()).toEqual([EVENTS_CHANNEL, 'mark'])
  await ear.close()
})
