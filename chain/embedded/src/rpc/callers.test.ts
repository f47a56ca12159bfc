import { expect, test } from 'vitest'
import { type Caller, Callers } from './callers.js'

const MIB = 1024 * 1024

/** Makes callers, and records which of them were cut off. */
function someCallers() {
  const callers = new Callers()
  const gone: string[] = []
  const enter = (name: string, isOwn = false): Caller =>
    callers.enter(() => gone.push(name), { network: '192.0.2.1', isOwn })
  return { enter, gone }
}

test('a caller is cut off when more than 64 MiB are held for it', () => {
  const { enter, gone } = someCallers()
  const [one, other] = [enter('one'), enter('other')]
  other.hold(MIB)
  one.hold(64 * MIB)
  expect(gone).toEqual([])
  one.hold(1)
  expect(gone).toEqual(['one'])
  expect([one.hasLeft, other.hasLeft]).toEqual([true, false])
})

test('the caller for which most is held is cut off when more than 256 MiB are held for all', () => {
  const { enter, gone } = someCallers()
  for (let n = 0; n < 63; n++) enter('other').hold(4 * MIB)
  enter('largest').hold(5 * MIB)
  expect(gone).toEqual(['largest'])
})

test('released memory, and that of callers who left, counts no more', () => {
  const { enter, gone } = someCallers()
  for (let n = 0; n < 100; n++) {
    const caller = enter('passing')
    caller.hold(60 * MIB)
    caller.release(50 * MIB)
    caller.hold(50 * MIB)
    caller.leave()
  }
  expect(gone).toEqual([])
})

test('the product’s own memory takes no room of others, and the product is not cut off in their place', () => {
  const { enter, gone } = someCallers()
  for (let n = 0; n < 8; n++) enter('product', true).hold(60 * MIB)
  for (let n = 0; n < 64; n++) enter('other').hold(4 * MIB)
  expect(gone).toEqual([])
  enter('one more').hold(1)
  expect(gone).toEqual(['other'])
})

test('one address leaves places to others, however many connections it has', async () => {
  const callers = new Callers()
  const begun: string[] = []
  const call = (name: string, network: string, isOwn = false) =>
    void callers
      .enter(() => {}, { network, isOwn })
      .inTurn(() => {
        begun.push(name)
        return new Promise(() => {})
      })
  for (let n = 0; n < 100; n++) call('flood', '192.0.2.1')
  call('other', '192.0.2.2')
  for (let n = 0; n < 100; n++) call('further', `192.0.3.${n}`)
  call('product', '192.0.2.1', true)
  await new Promise((resolve) => setImmediate(resolve))
  const times = (name: string) => begun.filter((one) => one === name).length
  expect(['flood', 'other', 'further', 'product'].map(times)).toEqual([8, 1, 7, 1])
})

test('extrinsics are checked one at a time, and addresses take turns', async () => {
  const callers = new Callers()
  const order: string[] = []
  let inWork = 0
  const check = (name: string, network: string) =>
    callers
      .enter(() => {}, { network, isOwn: false })
      .inSubmissionTurn(async () => {
        expect(++inWork).toBe(1)
        await new Promise((resolve) => setImmediate(resolve))
        inWork--
        order.push(name)
      })
  const floods = Array.from({ length: 20 }, () => check('flood', '192.0.2.1'))
  await Promise.all([...floods, check('other', '192.0.2.2')])
  expect(order.indexOf('other')).toBe(1)
})

test('calls of a connection that has left are refused', async () => {
  const { enter } = someCallers()
  const caller = enter('gone')
  caller.leave()
  await expect(caller.inTurn(async () => 1)).rejects.toThrow('The connection has ended')
  await expect(caller.inSubmissionTurn(async () => 1)).rejects.toThrow('The connection has ended')
})

/** Makes calls that stay in work until the test ends them. */
function heldCalls(callers: Callers) {
  const begun: string[] = []
  const ends: (() => void)[] = []
  const enter = (network: string) => callers.enter(() => {}, { network, isOwn: false })
  const work = (name: string) => () => {
    begun.push(name)
    return new Promise<void>((end) => ends.push(end))
  }
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  return { begun, enter, work, settle, endAll: () => ends.splice(0).forEach((end) => void end()) }
}

test.each(['inTurn', 'inSubmissionTurn'] as const)(
  'calls of an address that wait for a turn among all (%s) are refused when the last of its callers leaves',
  async (turn) => {
    const { begun, enter, work, settle, endAll } = heldCalls(new Callers())
    for (let n = 0; n < 16; n++) void enter(`192.0.3.${n}`)[turn](work('other'))
    const gone = enter('192.0.2.1')
    const refused = [1, 2].map(() => expect(gone[turn](work('gone'))).rejects.toThrow('The connection has ended'))
    gone.leave()
    for (let n = 0; n < 18; n++) {
      endAll()
      await settle()
    }
    await Promise.all(refused)
    expect(begun).toEqual(Array(16).fill('other'))
  },
)

test.each(['inTurn', 'inSubmissionTurn'] as const)(
  'a call that waits for its turn among all (%s) never begins when its caller left and others of the address stay',
  async (turn) => {
    const { begun, enter, work, settle, endAll } = heldCalls(new Callers())
    for (let n = 0; n < 16; n++) void enter(`192.0.3.${n}`)[turn](work('other'))
    const [gone, stays] = [enter('192.0.2.1'), enter('192.0.2.1')]
    const refused = expect(gone[turn](work('gone'))).rejects.toThrow('The connection has ended')
    void stays[turn](work('stays'))
    gone.leave()
    for (let n = 0; n < 17; n++) {
      endAll()
      await settle()
    }
    await refused
    expect(begun.filter((name) => name !== 'other')).toEqual(['stays'])
  },
)

test('an address that connects anew gets no further turns while its calls of before are in work', async () => {
  const { begun, enter, work, settle, endAll } = heldCalls(new Callers())
  const call = () => {
    const caller = enter('192.0.2.1')
    void caller.inTurn(work('flood')).catch(() => {})
    return caller
  }
  for (const caller of Array.from({ length: 9 }, call)) caller.leave()
  Array.from({ length: 9 }, call)
  await settle()
  expect(begun).toHaveLength(8)
  endAll()
  await settle()
  expect(begun).toHaveLength(16)
})
