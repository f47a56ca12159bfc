import { expect, test } from 'vitest'
import { type Caller, Callers } from './rpc-callers.js'

const MIB = 1024 * 1024

/** Callers, and who of them was cut off. */
function someCallers() {
  const callers = new Callers()
  const gone: string[] = []
  const enter = (name: string): Caller => callers.enter(() => gone.push(name))
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

test('what was released, or held for those who left, counts no more', () => {
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
