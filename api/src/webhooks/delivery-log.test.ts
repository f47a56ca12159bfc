import { expect, test, vi } from 'vitest'
import { eraseEvents } from '../platform/database/erase-events.js'
import { forAllTests } from '../platform/testing/for-all-tests.js'
import { answering } from './receiver.testing.js'
import { numbersOf, openDeliveries } from './testing.js'

const open = forAllTests(() => openDeliveries())

async function withHook(status = 200) {
  const world = open()
  const [team, receiver] = await Promise.all([world.team(), world.receiver()])
  const hook = await world.hook(team, receiver.url)
  receiver.answer = answering(status)
  world.run()
  const log = async (query = '') => (await world.call(team, 'GET', `/webhooks/${hook.id}/deliveries${query}`)).body
  const post = async (path: string, body?: object) => {
    const answer = await world.call(team, 'POST', `/webhooks/${hook.id}/${path}`, body)
    world.run()
    return answer
  }
  return { world, team, receiver, hook, log, post }
}

test('the log tells every try of every event, newest first, and filters by state', async () => {
  const { world, team, receiver, log } = await withHook(500)
  await world.emit(team, 'did:a', 1)
  await vi.waitFor(async () => expect((await log())[0]?.tries).toHaveLength(1), 30_000)
  receiver.answer = answering(200)
  await world.emit(team, 'did:b', 2)
  await vi.waitFor(async () => expect((await log())[0]?.state).toBe('delivered'), 30_000)
  const [second, first] = await log()
  expect(first).toEqual({
    id: receiver.received[0]?.headers['webhook-id'],
    event: 'did_create',
    state: 'waiting',
    created: expect.stringMatching(/Z$/),
    isReplay: false,
    nextTry: expect.stringMatching(/Z$/),
    tries: [{ at: expect.stringMatching(/Z$/), status: 500, error: null, ms: expect.any(Number) }],
  })
  expect(second).toMatchObject({ state: 'delivered', nextTry: null, tries: [{ status: 200 }] })
  expect((await log('?state=waiting')).map(({ id }: { id: string }) => id)).toEqual([first.id])
  expect(await log('?limit=1&offset=1')).toEqual([first])
  expect((await world.call(team, 'GET', '/webhooks/1/deliveries')).status).toBe(404)
})

test('a replay keeps its id and is outside the order', async () => {
  const { world, team, receiver, log, post } = await withHook()
  await world.emit(team, 'did:a', 1)
  await vi.waitFor(async () => expect((await log())[0]?.state).toBe('delivered'), 30_000)
  const [{ id }] = await log()
  receiver.answer = ({ data }, response) => answering(data.number === 2 ? 500 : 200)({} as never, response)
  await world.emit(team, 'did:a', 2)
  await vi.waitFor(() => expect(numbersOf(receiver)).toEqual([1, 2]), 30_000)
  expect((await post(`deliveries/${id}/replay`)).body).toMatchObject({ id, state: 'waiting', isReplay: true })
  await vi.waitFor(() => expect(numbersOf(receiver)).toEqual([1, 2, 1]), 30_000)
  expect(receiver.received[2]?.headers['webhook-id']).toBe(id)
  await vi.waitFor(async () => expect((await log())[1]).toMatchObject({ state: 'delivered', tries: [{}, {}] }), 30_000)
  const [waiting] = await log()
  expect((await post(`deliveries/${waiting.id}/replay`)).status).toBe(409)
  expect((await post(`deliveries/msg_${'0'.repeat(32)}/replay`)).status).toBe(404)
})

test('a replay that fails does not hold up the events of its resource', async () => {
  const { world, team, receiver, log, post } = await withHook()
  await world.emit(team, 'did:a', 1)
  await vi.waitFor(async () => expect((await log())[0]?.state).toBe('delivered'), 30_000)
  receiver.answer = ({ data }, response) => answering(data.number === 1 ? 500 : 200)({} as never, response)
  await post(`deliveries/${(await log())[0].id}/replay`)
  await world.emit(team, 'did:a', 2)
  await vi.waitFor(async () => expect((await log())[0]?.state).toBe('delivered'), 30_000)
  expect((await log())[1]?.state).toBe('waiting')
})

test('a range is replayed: what was given up, or all that has ended', async () => {
  const { world, team, receiver, log, post } = await withHook()
  await world.emit(team, 'did:a', 1)
  await world.emit(team, 'did:b', 2)
  await vi.waitFor(async () => expect((await log('?state=delivered')).length).toBe(2), 30_000)
  const [{ created }] = await log()
  expect((await post('replay', { from: '2020-01-01T00:00:00Z', state: 'dead' })).body).toEqual({ count: 0 })
  expect((await post('replay', { from: created })).body).toEqual({ count: 1 })
  await vi.waitFor(() => expect(numbersOf(receiver).sort()).toEqual([1, 2, 2]), 30_000)
  await vi.waitFor(async () => expect((await log('?state=delivered')).length).toBe(2), 30_000)
  expect((await post('replay', { from: '2020-01-01T00:00:00Z', to: '2030-01-01T00:00:00Z' })).body).toEqual({
    count: 2,
  })
  expect((await post('replay', { from: '2030-01-01T00:00:00Z', to: '2020-01-01T00:00:00Z' })).status).toBe(400)
  expect((await post('replay', {})).status).toBe(400)
})

test('a test event goes to the one web hook, whatever it asks for', async () => {
  const { world, team, receiver, hook, post } = await withHook()
  const other = await world.receiver()
  await world.hook(team, other.url)
  expect(await post('test')).toMatchObject({ status: 200, body: {} })
  await vi.waitFor(
    () => expect(receiver.received).toMatchObject([{ event: 'webhook_test', data: { id: hook.id } }]),
    30_000,
  )
  expect(other.received).toEqual([])
})

test('a disabled web hook is neither tested nor replayed to', async () => {
  const { world, team, receiver, hook, post } = await withHook()
  await world.call(team, 'PATCH', `/webhooks/${hook.id}`, { url: receiver.url, status: 0 })
  expect((await post('test')).status).toBe(409)
  expect((await post('replay', { from: '2020-01-01T00:00:00Z' })).status).toBe(409)
})

test('events of a thing that is erased are forgotten, with their deliveries', async () => {
  const { world, team, log } = await withHook()
  await world.emit(team, 'did:a', 1)
  await world.emit(team, 'did:b', 2)
  await vi.waitFor(async () => expect((await log('?state=delivered')).length).toBe(2), 30_000)
  const resource = world.environment.events.resourceOf(team.team, 'did:a')
  await world.scratch.db.transaction({ teams: [team.team], actor: 'test' }, (tx) => eraseEvents(tx, resource))
  expect(await log()).toHaveLength(1)
})
