import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { describeProcessorTime, processorMeter } from './bench/processor-time.js'

/** Works for half a second of processor time in a child of its own, which ends, and waits. */
const WORKING = `
const { spawnSync } = require('node:child_process')
const work = 'while (process.cpuUsage().user < 500000);'
process.stdin.once('data', () => {
  spawnSync(process.execPath, ['-e', work])
  console.log('done')
})
console.log('ready')`

test('the processor time of a process is shared among its operations, with that of its children, where the system tells', async () => {
  const child = spawn(process.execPath, ['-e', WORKING], { stdio: ['pipe', 'pipe', 'inherit'] })
  try {
    await once(child.stdout, 'data')
    const metered = processorMeter(() => ({ busy: child.pid ?? 0, gone: 2 ** 30 }))()
    child.stdin.write('begin')
    await once(child.stdout, 'data')
    const used = metered(10)
    expect(Object.keys(used)).toEqual(existsSync('/proc/self/stat') ? ['busy'] : [])
    for (const ms of Object.values(used)) {
      expect(ms).toBeGreaterThanOrEqual(50)
      expect(ms).toBeLessThan(500)
    }
  } finally {
    child.kill('SIGKILL')
  }
})

test('the dearest process is named first, and one that did nothing is left out', () => {
  expect(describeProcessorTime({ ledger: 0, signer: 11.44, api: 3.4, postgres: 12.41 })).toBe(
    '27.3: postgres 12.4, signer 11.4, api 3.40',
  )
})

test('nothing is said where the system does not tell', () => expect(describeProcessorTime({})).toBe(''))
