import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { Supervisor } from './start/supervisor.js'

test('a process that waits for another to be ready is not started any more after a stop', async () => {
  const log: string[] = []
  const supervisor = new Supervisor(
    new Writable({
      write(line, _encoding, done) {
        log.push(String(line))
        done()
      },
    }),
    () => {},
  )
  let otherIsReady = () => {}
  const started = supervisor.start({
    name: 'late',
    command: process.execPath,
    args: ['-e', 'console.log("here")'],
    before: () =>
      new Promise<void>((resolve) => {
        otherIsReady = resolve
      }),
    readyLine: () => ({}),
  })
  await supervisor.stop()
  otherIsReady()
  await expect(started).rejects.toThrow('late did not start: it was stopped')
  expect(log).toEqual([])
})
