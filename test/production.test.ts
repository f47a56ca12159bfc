import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Answer, type Production, startProduction } from './support/production.js'
import { LEDGER_TOKEN } from './support/production-services.js'
import { CADDY, needsProgram, REDIS } from './support/programs.js'
import { commandsOf } from './support/readme.js'

needsProgram('Redis', REDIS !== undefined)
needsProgram('Caddy', CADDY !== undefined)

const inShell = (line: string, env: Record<string, string>) =>
  promisify(execFile)('bash', ['-o', 'pipefail', '-ec', line], { env: { PATH: process.env.PATH ?? '', ...env } })

/** More than the time for which the proxy leaves out a replica that did not answer. */
const LEFT_OUT_MS = 13_000
const ROUNDS = Number(process.env.SOAK_PRODUCTION_ROUNDS ?? 1)

describe.runIf(REDIS && CADDY)(
  'the production shape, its services started with the settings of docker-compose.yml',
  () => {
    let production: Production
    let key: string

    beforeAll(async () => {
      production = await startProduction()
      const { said } = await production.run('api', ['api/dist/team.js', '--name', 'First team'])
      key = JSON.parse(said.trim().split('\n').at(-1) ?? '').apiKey
    }, 600_000)
    afterAll(() => production?.stop())

    const finished = (id: unknown) =>
      vi.waitFor(
        async () => expect((await production.call('GET', `/jobs/${id}`, undefined, key)).body.status).toBe('finalized'),
        { timeout: 120_000, interval: 100 },
      )
    const newDid = async (): Promise<string> => {
      const { status, body } = await production.call('POST', '/dids', {}, key)
      expect(status).toBe(200)
      await finished(body.id)
      return String(body.did)
    }
    /** Makes a DID every half a second for some time. */
    const writtenFor = async (ms: number): Promise<Answer[]> => {
      const answers: Answer[] = []
      for (const end = Date.now() + ms; Date.now() < end; await pause(500))
        answers.push(await production.call('POST', '/dids', {}, key))
      return answers
    }
    const metric = async (port: number, pattern: RegExp): Promise<number> => {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
      return [...text.matchAll(pattern)].reduce((sum, [, value]) => sum + Number(value), 0)
    }

    it('issues and verifies over TLS, through a proxy that gives both replicas work and shows the inside to nobody', async () => {
      expect(key).toMatch(/^ak_live_/)
      const issuer = await newDid()
      const credential = {
        issuer,
        type: ['DegreeCredential'],
        subject: { id: 'did:example:graduate', degree: 'M.Sc.' },
      }
      const issued = await production.call('POST', '/credentials', { revocable: true, credential }, key)
      expect(issued.status).toBe(200)
      expect((await production.call('POST', '/verify', issued.body, key)).body).toMatchObject({ verified: true })
      expect(issued.headers['strict-transport-security']).toBe('max-age=31536000')
      await Promise.all(Array.from({ length: 20 }, () => production.call('GET', `/dids/${issuer}`, undefined, key)))
      for (const port of production.replicas)
        expect(await metric(port, /^accredit_http_request_seconds_count\{.*\} (\d+)$/gm)).toBeGreaterThan(2)
      expect((await production.call('GET', '/metrics')).status).toBe(404)
      expect((await production.call('GET', '/ready')).body).toMatchObject({ ready: true })
    })

    it('lets anyone read the ledger, and nobody else write', async () => {
      const ask = async (method: string, params: unknown[]) => {
        const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
        const headers = { 'content-type': 'application/json' }
        return (await fetch(`http://127.0.0.1:${production.ledgerPort}`, { method: 'POST', headers, body })).json()
      }
      expect(await ask('chain_getHeader', [])).toMatchObject({ result: { number: expect.stringMatching(/^0x/) } })
      expect(await ask('author_submitExtrinsic', ['0x00'])).toMatchObject({ error: { code: -32601 } })
    })

    it('is watched by the lines of README', async () => {
      const settings = {
        PUBLIC_URL: production.publicUrl,
        API_ADDRESS: `http://127.0.0.1:${production.replicas[0]}`,
        CURL_CA_BUNDLE: production.authority,
      }
      const said = async (comment: string) => (await inShell(commandsOf('Watch', comment), settings)).stdout
      expect(await said('A page: ')).toMatch(/^<!doctype html>[\s\S]*<\/html>/i)
      expect(JSON.parse(await said('Whether it can serve'))).toMatchObject({ ready: true })
      const metrics = await said('Metrics of one process')
      for (const name of ['fee_account_poor', 'index_lag_seconds', 'jobs_stuck', 'webhook_deliveries'])
        expect(metrics).toMatch(new RegExp(`^accredit_${name}(?:\\{.*\\})? \\d`, 'm'))
      const [, signal, service] = /^docker compose kill -s (SIG\w+) (\w+)$/.exec(commandsOf('Watch', 'More in')) ?? []
      expect([signal, service]).toEqual(['SIGUSR2', 'api'])
      for (const name of ['api-1', 'worker', 'signer', 'indexer']) {
        production.signal(name, 'SIGUSR2')
        const tells = async () => expect(await production.logOf(name)).toContain('"nowAt":"debug"')
        await vi.waitFor(tells, { timeout: 20_000 })
        production.signal(name, 'SIGUSR2')
      }
    })

    it('goes on when a replica is killed, and when the queue is: no job is lost', async () => {
      for (let round = 0; round < ROUNDS; round++) {
        await production.kill('api-1')
        const read = []
        for (let n = 0; n < 10; n++) read.push((await production.call('GET', '/dids', undefined, key)).status)
        expect(read).toEqual(Array(10).fill(200))
        const answers = await writtenFor(LEFT_OUT_MS)
        // The proxy leaves the dead one out, and tries it again once meanwhile: version 2.6 repeats nothing that has a body.
        expect(answers.filter(({ status }) => status !== 200).length).toBeLessThanOrEqual(1)
        const written = answers.filter(({ status }) => status === 200)
        // The proxy may try it again at any later write, too: it is back by then.
        await production.start('api-1')
        await production.kill('redis')
        const { status, body } = await production.call('POST', '/dids', {}, key)
        expect(status).toBe(200)
        await production.start('redis')
        for (const one of [...written.map((answer) => answer.body), body]) await finished(one.id)
      }
    })

    it('writes no key into a log, whatever goes wrong', async () => {
      await production.kill('api-1')
      await production.kill('api-2')
      expect((await production.call('GET', '/dids?password=of-a-holder', undefined, key)).status).toBeGreaterThan(500)
      await production.start('api-1')
      const log = await production.logOf('proxy')
      expect(log).toMatch(/"logger":"http\.log\.error/)
      expect(log).not.toContain(key)
      expect(log).not.toContain('of-a-holder')
      // The indexer tells where it looks for the ledger when that is gone.
      await production.kill('ledger')
      const complains = async () => expect(await production.logOf('indexer')).toContain('connection failure')
      await vi.waitFor(complains, { timeout: 30_000 })
      await production.start('ledger')
      for (const name of ['indexer', 'signer', 'worker', 'ledger'])
        expect(await production.logOf(name)).not.toContain(LEDGER_TOKEN)
      for (const name of ['worker', 'api-1', 'api-2']) expect(await production.logOf(name)).not.toContain(key)
    })

    it('is copied while it runs, and its doctor finds nothing wrong', async () => {
      const copy = await production.run('prepare', [
        'scripts/dist/backup/production.js',
        'backup',
        join(production.folder, 'copy'),
      ])
      expect(copy.said).toMatch(/ledger up to block \d+ .*, 3 key files/)
      expect(copy.code).toBe(0)
      const doctor = await production.run('prepare', ['scripts/dist/doctor/production.js'], {
        API_URL: `http://127.0.0.1:${production.replicas[0]}`,
        NODE_EXTRA_CA_CERTS: production.authority,
      })
      expect(doctor.said).toMatch(/0 faults/)
      expect(doctor.said).toMatch(/^ok +redis +Redis answers/m)
      expect(doctor.code).toBe(0)
    })
  },
)
