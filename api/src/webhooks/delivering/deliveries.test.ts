import { Webhook } from 'standardwebhooks'
import { expect, test, vi } from 'vitest'
import { deliveriesDead } from '../../platform/process/work-metrics.js'
import { forAllTests } from '../../platform/testing/for-all-tests.js'
import { outgoingEvents } from '../../platform/testing/scratch-database.js'
import '../webhook.tables.js'
import { answering, type Receiver } from '../receiver.testing.js'
import { numbersOf, openDeliveries } from '../testing.js'
import { PLACES } from './places.js'

const open = forAllTests(() => openDeliveries())
/** On a busy machine a receiver's answer may take more than a second, and an event whose answer is late is sent again. */
const openPatient = forAllTests(() => openDeliveries({ WEBHOOK_TIMEOUT_MS: '60000' }))

const HOUR = 3_600_000

async function withHook(body: object = {}, world = open()) {
  const [team, receiver] = await Promise.all([world.team(), world.receiver()])
  const hook = await world.hook(team, receiver.url, body)
  world.run()
  return { world, team, receiver, hook }
}

const gets = (receiver: Receiver, numbers: unknown[]) =>
  vi.waitFor(() => expect(numbersOf(receiver)).toEqual(numbers), 30_000)
const statesOf = async (id: string) => (await open().deliveries(id)).map(({ state }) => state)
const becomes = (id: string, states: string[]) =>
  vi.waitFor(async () => expect(await statesOf(id)).toEqual(states), 30_000)
const logOf = async (id: string) => (await open().deliveries(id)).map(({ log }) => log)

test('an event is posted as token, event and data, with a signature that the library of Standard Webhooks verifies', async () => {
  const { world, team, receiver, hook } = await withHook()
  await world.emit(team, 'did:a', 1)
  await gets(receiver, [1])
  const { text = '', headers = {} } = receiver.received[0] ?? {}
  expect(JSON.parse(text)).toEqual({ token: hook.secret, event: 'did_create', data: { number: 1 } })
  expect(Object.keys(JSON.parse(text))).toEqual(['token', 'event', 'data'])
  const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
  expect(new Webhook(hook.signingSecret).verify(text, sent)).toEqual(JSON.parse(text))
  expect(() => new Webhook(hook.signingSecret).verify(`${text} `, sent)).toThrow()
  expect(() => new Webhook(`whsec_${Buffer.alloc(32).toString('base64')}`).verify(text, sent)).toThrow()
  expect(sent['content-type']).toBe('application/json')
})

test('for a day after a rotation both secrets verify, and then the new one alone', async () => {
  const { world, team, receiver, hook } = await withHook()
  const { body } = await world.call(team, 'POST', `/webhooks/${hook.id}/rotate-secret`)
  await world.emit(team, 'did:a', 1)
  await gets(receiver, [1])
  const verify = (secret: string, index: number): boolean => {
    const { headers = {} } = receiver.received[index] ?? {}
    const [id, timestamp, text] = [
      String(headers['webhook-id']),
      Number(headers['webhook-timestamp']),
      receiver.received[index]?.text,
    ]
    const signature = new Webhook(secret).sign(id, new Date(timestamp * 1000), text ?? '')
    return String(headers['webhook-signature']).split(' ').includes(signature)
  }
  expect([hook.signingSecret, body.signingSecret].map((secret) => verify(secret, 0))).toEqual([true, true])
  await becomes(hook.id, ['delivered'])
  world.later(24 * HOUR)
  await world.emit(team, 'did:a', 2)
  await gets(receiver, [1, 2])
  expect([hook.signingSecret, body.signingSecret].map((secret) => verify(secret, 1))).toEqual([false, true])
})

test('a web hook gets the events that it asks for, of its own team, and while it is enabled', async () => {
  const { world, team, receiver, hook } = await withHook()
  const [other, silent] = await Promise.all([world.team(), world.hook(team, receiver.url, { events: [] })])
  await world.emit(other, 'did:a', 1)
  await world.scratch.db.transaction('system', (tx) => tx.emit('did_delete', { number: 2 }, team.team, 'did:a'))
  await world.call(team, 'PATCH', `/webhooks/${hook.id}`, { url: receiver.url, status: 0 })
  await world.emit(team, 'did:a', 3)
  await world.call(team, 'PATCH', `/webhooks/${hook.id}`, { url: receiver.url, status: 1 })
  await world.emit(team, 'did:a', 4)
  await gets(receiver, [4])
  expect(await world.deliveries(silent.id)).toEqual([])
})

test('events of one resource arrive in their order, also when answers are slow', async () => {
  const { world, team, receiver } = await withHook({}, openPatient())
  receiver.answer = (_, response) => void setTimeout(() => response.end(), Math.random() * 30)
  const numbers = Array.from({ length: 30 }, (_, number) => number)
  for (const number of numbers) for (const did of ['a', 'b', 'c']) await world.emit(team, did, number)
  await vi.waitFor(() => expect(receiver.received).toHaveLength(90), 30_000)
  const order = numbersOf(receiver)
  for (const number of numbers) expect(order.filter((one) => one === number)).toHaveLength(3)
  const rank = (number: number) => order.lastIndexOf(number)
  for (const number of numbers.slice(3)) expect(rank(number)).toBeGreaterThan(order.indexOf(number - 3))
})

test('later events of a resource wait for the one that failed, and other resources do not', async () => {
  const { world, team, receiver, hook } = await withHook()
  receiver.answer = ({ data }, response) => answering(data.number === 1 ? 500 : 200)({} as never, response)
  await world.emit(team, 'did:a', 1, 2, 3)
  await world.emit(team, 'did:b', 10)
  await vi.waitFor(() => expect(numbersOf(receiver).sort()).toEqual([1, 10]), 30_000)
  await becomes(hook.id, ['waiting', 'waiting', 'waiting', 'delivered'])
  receiver.answer = answering(204)
  world.later(6001)
  await vi.waitFor(() => expect(numbersOf(receiver).filter((n) => n !== 10)).toEqual([1, 1, 2, 3]), 30_000)
  await becomes(hook.id, ['delivered', 'delivered', 'delivered', 'delivered'])
  const ids = receiver.received.filter(({ data }) => data.number === 1).map(({ headers }) => headers['webhook-id'])
  expect(new Set(ids).size).toBe(1)
})

test('after 24 hours of failing an event is given up and the next one goes', async () => {
  const { world, team, receiver, hook } = await withHook()
  receiver.answer = ({ data }, response) => answering(data.number === 1 ? 503 : 200)({} as never, response)
  await world.emit(team, 'did:a', 1, 2)
  await vi.waitFor(async () => expect((await logOf(hook.id))[0]).toHaveLength(1), 30_000)
  world.later(24 * HOUR + 1000)
  await becomes(hook.id, ['dead', 'delivered'])
  expect(numbersOf(receiver)).toEqual([1, 1, 2])
})

test('a web hook that fails for five days is disabled, and another one of the team is told', async () => {
  const { world, team, receiver, hook } = await withHook()
  const witness = await world.receiver()
  await world.hook(team, witness.url, { events: ['webhook_disabled'] })
  receiver.answer = answering(500)
  await world.emit(team, 'did:a', 1)
  await vi.waitFor(async () => expect((await logOf(hook.id))[0]).toHaveLength(1), 30_000)
  const { failingSince } = (await world.call(team, 'GET', `/webhooks/${hook.id}`)).body
  expect(failingSince).toMatch(/Z$/)
  world.later(5 * 24 * HOUR)
  await vi.waitFor(() => expect(witness.received).toHaveLength(1), 30_000)
  expect(witness.received[0]?.data).toEqual({ id: hook.id, reason: expect.stringMatching(/five days/), failingSince })
  expect((await world.call(team, 'GET', `/webhooks/${hook.id}`)).body).toMatchObject({
    status: 0,
    disabledReason: expect.stringMatching(/five days/),
  })
  const again = await world.call(team, 'PATCH', `/webhooks/${hook.id}`, { url: receiver.url, status: 1 })
  expect(again.body).toMatchObject({ status: 1, failingSince: null, disabledReason: null })
})

test('a success in between begins the five days anew', async () => {
  const { world, team, receiver, hook } = await withHook()
  for (const [number, status] of [500, 200, 500].entries()) {
    receiver.answer = answering(status)
    await world.emit(team, `did:${number}`, number)
    await vi.waitFor(async () => expect((await logOf(hook.id))[number]?.length).toBeGreaterThan(0), 30_000)
    if (number < 2) world.later(3 * 24 * HOUR)
  }
  expect((await world.call(team, 'GET', `/webhooks/${hook.id}`)).body.status).toBe(1)
})

const givenUp = async () => (await deliveriesDead.get()).values[0]?.value ?? 0

test('a receiver that answers 410 is told nothing more', async () => {
  const { world, team, receiver, hook } = await withHook()
  receiver.answer = answering(410)
  const before = await givenUp()
  await world.emit(team, 'did:a', 1, 2)
  await becomes(hook.id, ['dead', 'dead'])
  // One by its own answer, and the one that waited behind it.
  await vi.waitFor(async () => expect((await givenUp()) - before).toBe(2), 30_000)
  expect((await world.call(team, 'GET', `/webhooks/${hook.id}`)).body).toMatchObject({
    status: 0,
    disabledReason: expect.stringMatching(/410/),
  })
  expect(numbersOf(receiver)).toEqual([1])
})

test('a redirect is a failure, and is not followed', async () => {
  const { world, team, receiver, hook } = await withHook()
  const elsewhere = await world.receiver()
  receiver.answer = answering(307, { location: elsewhere.url })
  await world.emit(team, 'did:a', 1)
  await vi.waitFor(async () => expect((await logOf(hook.id))[0]).toMatchObject([{ status: 307 }]), 30_000)
  expect(elsewhere.received).toEqual([])
})

test('a receiver that answers 10 MB has been told, and its answer is not read', async () => {
  const { world, team, receiver, hook } = await withHook()
  let sent = 0
  receiver.answer = (_, response) => {
    response.writeHead(200)
    const more = (): void => {
      while (sent < 10_000_000 && !response.destroyed) {
        sent += 65_536
        if (!response.write(Buffer.alloc(65_536))) return void response.once('drain', more)
      }
      response.end()
    }
    more()
  }
  await world.emit(team, 'did:a', 1)
  await becomes(hook.id, ['delivered'])
  expect(sent).toBeLessThan(10_000_000)
})

test('a receiver that never answers, or stops in the middle of its headers, is given up after the timeout', async () => {
  const { world, team, receiver, hook } = await withHook()
  receiver.answer = () => undefined
  await world.emit(team, 'did:a', 1)
  await vi.waitFor(async () => expect((await logOf(hook.id))[0]).toHaveLength(1), 30_000)
  expect((await logOf(hook.id))[0]).toMatchObject([{ status: null, error: 'it did not answer within 1000 ms' }])
  receiver.answer = (_, response) => void response.socket?.write('HTTP/1.1 200 OK\r\nx-slow: ')
  world.later(7000)
  await vi.waitFor(async () => expect((await logOf(hook.id))[0]).toHaveLength(2), 30_000)
  expect((await logOf(hook.id))[0]?.[1]).toMatchObject({ status: null })
})

test('receivers that never answer take half of the places at most, and hold up none that has answered', async () => {
  const { world, team, receiver: good } = await withHook({}, openPatient())
  for (const number of [1, 2]) {
    await world.emit(team, 'did:a', number)
    await gets(
      good,
      Array.from({ length: number }, (_, i) => i + 1),
    )
  }
  const bad = await world.receiver()
  bad.answer = () => undefined
  const hostile = await Promise.all(Array.from({ length: 3 }, () => world.team()))
  for (const each of hostile) await Promise.all(Array.from({ length: 16 }, () => world.hook(each, bad.url)))
  for (const each of hostile) for (const did of ['did:a', 'did:b']) await world.emit(each, did, 1)
  await vi.waitFor(() => expect(bad.received).toHaveLength(PLACES.unproven), 30_000)
  // None of them is given up while these go.
  const numbers = Array.from({ length: 100 }, (_, i) => i + 3)
  for (const number of numbers) await world.emit(team, `did:${number}`, number)
  await vi.waitFor(() => expect(good.received).toHaveLength(102), 30_000)
  expect(bad.received).toHaveLength(PLACES.unproven)
  // The clean-up: nothing of the others is tried again in other tests.
  const ids = hostile.map((each) => each.team)
  await world.scratch.db.transaction('system', (tx) => tx.deleteFrom('webhooks').where('team_id', 'in', ids).execute())
})

test('a web hook that wants no personal data gets the event without the credential', async () => {
  const { world, team, receiver } = await withHook({ events: ['credential_issued'], includePersonalData: false })
  const data = { id: 'urn:1', signingOps: 1, byteSize: 2, key: 'did:a#1', credential: { secret: 'name' } }
  await world.scratch.db.transaction('system', (tx) => tx.emit('credential_issued', data, team.team, 'urn:1'))
  world.run()
  await vi.waitFor(() => expect(receiver.received).toHaveLength(1), 30_000)
  expect(receiver.received[0]?.data).toEqual({ id: 'urn:1', signingOps: 1, byteSize: 2, key: 'did:a#1' })
})

test('two workers at once send each event once', async () => {
  const { world, team, receiver } = await withHook({}, openPatient())
  const second = await import('./start-deliveries.js').then(({ startDeliveries }) => startDeliveries(world.environment))
  for (let i = 0; i < 100; i++) {
    await world.emit(team, `did:${i % 10}`, i)
    second.wake()
  }
  await vi.waitFor(() => expect(receiver.received.length).toBeGreaterThanOrEqual(100), 30_000)
  await second.stop()
  expect(numbersOf(receiver).sort((a, b) => Number(a) - Number(b))).toEqual(Array.from({ length: 100 }, (_, i) => i))
  for (let did = 0; did < 10; did++) {
    const own = numbersOf(receiver).filter((number) => Number(number) % 10 === did)
    expect(own).toEqual([...own].sort((a, b) => Number(a) - Number(b)))
  }
})

test('an event whose transaction fails is told to nobody', async () => {
  const { world, team, hook } = await withHook()
  const failed = world.scratch.db.transaction('system', async (tx) => {
    await tx.emit('did_create', {}, team.team, 'did:a')
    throw new Error('undone')
  })
  await expect(failed).rejects.toThrow('undone')
  expect(await world.deliveries(hook.id)).toEqual([])
  expect(await outgoingEvents(world.scratch, team.team)).toEqual([])
})
