import { expect, test } from 'vitest'
import { Turns } from './turns.js'

/** Makes calls that stay in work until the test ends them. */
function calls(turns: Turns) {
  const inWork: { name: string; end: () => void }[] = []
  const run = (caller: object, name: string) =>
    turns.run(caller, () => new Promise<void>((end) => inWork.push({ name, end })))
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  return { inWork, run, settle, names: () => inWork.map(({ name }) => name) }
}

test('one connection with a thousand calls leaves places to others', async () => {
  const { run, settle, names } = calls(new Turns({ running: 16, ofOne: 4 }))
  const [flood, signer] = [{}, {}]
  for (let n = 0; n < 1000; n++) void run(flood, 'flood')
  void run(signer, 'signer')
  await settle()
  expect(names()).toEqual(['flood', 'flood', 'flood', 'flood', 'signer'])
})

test('when all places are taken connections that wait take turns', async () => {
  const { inWork, run, settle, names } = calls(new Turns({ running: 16, ofOne: 4 }))
  const floods = Array.from({ length: 8 }, () => ({}))
  for (const flood of floods) for (let n = 0; n < 100; n++) void run(flood, 'flood')
  void run({}, 'signer')
  await settle()
  expect(inWork).toHaveLength(16)
  // The signer's turn comes, at the latest, when each earlier caller had one more.
  for (let turn = 0; turn < floods.length && !names().includes('signer'); turn++) {
    inWork.shift()?.end()
    await settle()
  }
  expect(names()).toContain('signer')
  expect(inWork).toHaveLength(16)
})

test('calls of a caller that left never begin, and those of others do', async () => {
  const turns = new Turns({ running: 16, ofOne: 4 })
  const { inWork, run, settle, names } = calls(turns)
  const [gone, other] = [{}, {}]
  const begun = [1, 2, 3, 4].map(() => run(gone, 'gone'))
  const refused = [5, 6].map(() => expect(run(gone, 'gone')).rejects.toThrow('The connection has ended'))
  for (let n = 0; n < 5; n++) void run(other, 'other')
  turns.leave(gone)
  await Promise.all(refused)
  for (const { end } of inWork.splice(0, 4)) end()
  await Promise.all(begun)
  await settle()
  expect(names()).toEqual(['other', 'other', 'other', 'other'])
})
