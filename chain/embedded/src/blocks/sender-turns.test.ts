import fc from 'fast-check'
import { expect, test } from 'vitest'
import { inTurns } from './sender-turns.js'

test('an extrinsic waits for at most as many of each other sender as its own sender has before it', () => {
  const queues = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 40 })
  fc.assert(
    fc.property(queues, (senders) => {
      const queue = senders.map((sender, number) => ({ sender, number }))
      const ordered = inTurns(queue)
      expect(new Set(ordered)).toEqual(new Set(queue))
      expect(ordered).toHaveLength(queue.length)
      ordered.forEach((item, place) => {
        const before = ordered.slice(0, place)
        const countOf = (sender: string) => before.filter((other) => other.sender === sender).length
        const own = before.filter(({ sender }) => sender === item.sender)
        for (const other of own) expect(other.number).toBeLessThan(item.number)
        for (const sender of new Set(senders)) expect(countOf(sender)).toBeLessThanOrEqual(own.length + 1)
      })
    }),
    { numRuns: 200, interruptAfterTimeLimit: 20_000, markInterruptAsFailure: true },
  )
})

test('the extrinsics of one sender keep their order', () => {
  const queue = [3, 1, 2].map((number) => ({ sender: 'a', number }))
  expect(inTurns(queue)).toEqual(queue)
})
