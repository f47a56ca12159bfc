import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** The code by which each process makes its log, from the compiled output. */
const logs = {
  api: `import { createLog } from '${root}/api/dist/platform/process/log.js'; const log = createLog('info', 'api')`,
  indexer: `import { log } from '${root}/indexer/lib/log.js'`,
  ledger: `import { createLog } from '@accredit/process/log'; const log = createLog({ name: 'ledger' })`,
  signer: `import { log } from '${root}/signer/dist/log.js'`,
  supervisor: `import { announcer } from '${root}/scripts/dist/start/announcer.js'
    const { say } = announcer(false); const log = { info: say }`,
}

/** Logs a line, and two more when its standard input ends and it with it. */
function logging(made: string): ChildProcess {
  const program = `${made}
    log.info('here')
    process.stdin.resume().on('end', () => { log.info('stopping'); log.info('stopped'); process.exit(0) })`
  const args = ['--input-type=module', '-e', program]
  return spawn(process.execPath, args, {
    cwd: root,
    stdio: ['pipe', 'pipe', 'inherit'],
    timeout: 10_000,
    killSignal: 'SIGKILL',
  })
}

describe.each(Object.entries(logs))('the log of the %s', (_name, made) => {
  it('is a JSON object a line', async () => {
    const child = logging(made)
    let output = ''
    child.stdout?.on('data', (chunk) => {
      output += String(chunk)
    })
    child.stdin?.end()
    expect(await once(child, 'close')).toEqual([0, null])
    const lines = output.trim().split('\n')
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['here', 'stopping', 'stopped'])
  })

  it('keeps nobody alive whose reader is gone', async () => {
    const child = logging(made)
    const ended = once(child, 'exit')
    await once(child.stdout ?? child, 'data')
    child.stdout?.destroy()
    child.stdin?.end()
    expect(await ended).toEqual([0, null])
  })
})
