import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ReadyCheckName } from '@accredit/process/readiness'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { staleness } from '../api/src/ledger/read/index-db.js'
import { certificateFor, hasOpenSsl } from '../api/src/platform/testing/certificate.js'
import { needsProgram } from '../test/support/programs.js'
import { root } from '../test/support/repository-files.js'
import { type ScratchDatabase, scratchDatabase } from '../test/support/scratch-database.js'
import { checkClock, checkDatabase } from './doctor/database.js'
import { checkJournal } from './doctor/journal.js'
import { certificateUnreached, checkCertificateFile, checkDisks, checkKeyFiles, checkNode } from './doctor/machine.js'
import { checkApi, checkMail, checkRedis, mailFault } from './doctor/neighbours.js'
import { freePort } from './start/processes/ports.js'

const projectRoot = dirname(dirname(fileURLToPath(import.meta.url)))
const DAY_MS = 86_400_000
const folder = mkdtempSync(join(tmpdir(), 'accredit-doctor-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe('the doctor tells what is wrong with the machine, with a remedy', () => {
  it('an old Node', () => {
    expect(checkNode('20.0.0')).toMatchObject({ state: 'ok' })
    expect(checkNode('18.20.4')).toMatchObject({ state: 'fault', remedy: 'Install Node 20 or later.' })
  })

  it('a disk that is nearly full', () => {
    const stateOf = (megabytes: number) =>
      checkDisks({ folders: { keys: folder } }, () => megabytes * 1024 * 1024)[0]?.state
    expect([100, 1000, 5000].map(stateOf)).toEqual(['fault', 'warning', 'ok'])
    expect(checkDisks({ folders: { keys: join(folder, 'none') } })[0]?.state).toBe('not checked')
  })

  it('key files that others can read, or that are gone', () => {
    const file = join(folder, 'master.key')
    const check = () => checkKeyFiles({ keyFiles: { 'master.key': file } })[0]
    expect(check()).toMatchObject({ state: 'fault', says: `${file} is missing.` })
    writeFileSync(file, 'key', { mode: 0o600 })
    expect(check()).toMatchObject({ state: 'ok' })
    chmodSync(file, 0o640)
    expect(check()).toMatchObject({ state: 'fault', remedy: expect.stringContaining('chmod 600') })
  })

  it('a journal of erasures with a damaged line, and a folder in which no line can be added', async () => {
    const place = mkdtempSync(join(folder, 'journal-'))
    const file = join(place, 'erasures.jsonl')
    const states = async (path: string) => (await checkJournal(root, path)).map(({ state }) => state)
    expect(await states(file)).toEqual(['not checked', 'ok'])
    const line = JSON.stringify({ id: 'svc_api_aaaa', at: '2026-01-01T00:00:00Z', key: { ends: null } })
    writeFileSync(file, `${line}\n${line}\n{"id":"cut`)
    expect(await checkJournal(root, file)).toMatchObject([
      { state: 'ok', says: expect.stringContaining('2 lines') },
      {},
    ])
    for (const damaged of ['\0\0\0', line.replace('"key"', '"team"')]) {
      writeFileSync(file, `${line}\n${damaged}\n${line}\n`)
      expect(await checkJournal(root, file)).toMatchObject([
        { state: 'fault', says: `Line 2 of ${file} is no line of a journal of erasures.` },
        { state: 'ok' },
      ])
    }
    expect(readdirSync(place)).toEqual(['erasures.jsonl'])
    expect(await states(join(place, 'none', 'erasures.jsonl'))).toEqual(['not checked', 'fault'])
    expect(await states(join(file, 'erasures.jsonl'))).toEqual(['not checked', 'fault'])
  })

  it('clocks that differ by more than two seconds', () => {
    expect(checkClock(10_000, 9_000, 11_000)).toMatchObject({ state: 'ok' })
    expect(checkClock(13_000, 9_000, 11_000)).toMatchObject({ state: 'ok' })
    expect(checkClock(13_001, 9_000, 11_000)).toMatchObject({ state: 'fault' })
    expect(checkClock(6_999, 9_000, 11_000)).toMatchObject({ state: 'fault' })
  })

  needsProgram('OpenSSL', hasOpenSsl)
  it.runIf(hasOpenSsl)('a certificate that ends soon, has ended, or is none', () => {
    const file = join(folder, 'cert.pem')
    writeFileSync(file, certificateFor('DNS:api.example').cert)
    const stateIn = (days: number) => checkCertificateFile(file, Date.now() + days * DAY_MS).state
    expect([-30, 0, 2].map(stateIn)).toEqual(['ok', 'warning', 'fault'])
    writeFileSync(file, 'no certificate')
    expect(checkCertificateFile(file)).toMatchObject({
      state: 'fault',
      says: expect.stringContaining('cannot be read'),
    })
  })
})

/** Returns what the doctor advises where the API's checks fail with these reasons, and all others are well. */
async function remediesFor(faults: Partial<Record<ReadyCheckName, string>>): Promise<Record<string, string>> {
  const well: Record<ReadyCheckName, string> = {
    database: 'ok',
    signer: 'ok',
    ledger: 'ok',
    ledgerIndex: 'ok',
    fees: 'ok',
  }
  const body = JSON.stringify({ ready: false, checks: { ...well, ...faults } })
  const server = createServer((_request, response) => response.writeHead(503).end(body))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  const findings = await checkApi(`http://127.0.0.1:${port}`)
  server.close()
  expect(findings).toHaveLength(Object.keys(well).length)
  const bad = findings.filter(({ state }) => state !== 'ok')
  return Object.fromEntries(bad.map(({ says, remedy }) => [says.split(':')[0], remedy ?? '']))
}

describe('the doctor tells what is wrong with the neighbours, with a remedy', () => {
  it('servers that do not answer', async () => {
    const port = await freePort()
    expect((await checkRedis(`redis://127.0.0.1:${port}`))[0]).toMatchObject({
      state: 'fault',
      says: expect.stringContaining('ECONNREFUSED'),
    })
    expect((await checkMail(`smtp://127.0.0.1:${port}`))[0]).toMatchObject({ state: 'fault' })
    expect((await checkApi(`http://127.0.0.1:${port}`))[0]).toMatchObject({
      state: 'fault',
      says: expect.stringContaining('ECONNREFUSED'),
    })
    const gone = { owner: `postgres://doctor:password@127.0.0.1:${port}/none` }
    const [finding] = await checkDatabase({ databases: gone, projectRoot })
    expect(finding).toMatchObject({ state: 'fault', says: expect.stringContaining('cannot be reached') })
    expect(JSON.stringify(finding)).not.toContain('password@')
  })

  it('each fault that the API finds itself', async () => {
    expect(await remediesFor({})).toEqual({})
    const poor = 'The fee account is poor: what is to be written waits'
    expect(await remediesFor({ fees: poor })).toEqual({ fees: expect.stringContaining('Fill') })
    const silent = 'No answer within 2000 ms'
    expect(await remediesFor({ fees: silent })).toEqual({ fees: expect.stringContaining('Ask again') })
    const unreached = 'The ledger cannot be reached; try again'
    expect(await remediesFor({ ledger: unreached, ledgerIndex: silent, fees: unreached })).toEqual({
      ledger: expect.stringContaining('See the log of the ledger'),
      ledgerIndex: expect.stringContaining('Mend the ledger first'),
      fees: expect.stringContaining('Mend the ledger first'),
    })
    expect(await remediesFor({ signer: silent, ledger: silent })).toEqual({
      signer: expect.stringContaining('See the log of the signer'),
      ledger: expect.stringContaining('Mend the signer first'),
    })
    expect(await remediesFor({ database: silent })).toEqual({ database: expect.stringContaining('the database') })
  })

  it.each([
    [{ indexLagMs: 90_000, ageMs: 0 }, 'See the log of the indexer'],
    [{ indexLagMs: 0, ageMs: 127_000 }, 'blocks become final'],
    [{ indexLagMs: 0, ageMs: -127_000 }, 'follow a time server'],
  ])('an index that is not to be used, by each reason of the API: %o', async (head, remedy) => {
    const reason = staleness({ maxLagMs: 30_000, maxAgeMs: 60_000 }, head)
    expect(reason).toBeDefined()
    expect(await remediesFor({ ledgerIndex: reason ?? '' })).toEqual({ ledgerIndex: expect.stringContaining(remedy) })
  })

  it('a neighbour that is out of reach from here is not checked, and no fault', async () => {
    const outside = { code: 'ENETUNREACH', errno: -101 }
    expect(certificateUnreached('https://api.example', 'ENETUNREACH')).toMatchObject({ state: 'not checked' })
    expect(certificateUnreached('https://api.example', 'EAI_AGAIN')).toMatchObject({ state: 'not checked' })
    expect(certificateUnreached('https://api.example', 'ECONNREFUSED')).toMatchObject({
      state: 'fault',
      says: expect.stringContaining('does not answer'),
    })
    expect(certificateUnreached('https://api.example', 'CERT_HAS_EXPIRED')).toMatchObject({
      state: 'fault',
      says: expect.stringContaining('cannot trust'),
    })
    expect(mailFault(Object.assign(new Error('no way'), outside, { code: 'ESOCKET' }))).toMatchObject({
      state: 'not checked',
    })
    expect(mailFault(Object.assign(new Error('no'), { code: 'EAUTH' }))).toMatchObject({
      state: 'fault',
      says: expect.stringContaining('refuses us'),
    })
  })
})

describe('the doctor tells what is wrong with a database, with a remedy', () => {
  let database: ScratchDatabase
  let client: pg.Client

  beforeAll(async () => {
    database = await scratchDatabase()
    client = new pg.Client({ connectionString: database.url })
    await client.connect()
  })
  afterAll(async () => {
    await client.end()
    await database.drop()
  })
  const check = async (name: string) =>
    (await checkDatabase({ databases: { owner: database.url }, projectRoot })).filter(
      (finding) => finding.check === name,
    )

  it('migrations that are missing, pending, changed, or of a newer version', async () => {
    const only = async () => (await check('migrations'))[0]
    expect(await only()).toMatchObject({ state: 'fault', says: expect.stringContaining('no tables') })
    await client.query('create schema service; create table service.migrations (name text, checksum text)')
    expect(await only()).toMatchObject({
      state: 'warning',
      says: expect.stringMatching(/^\d+ migrations have not run/),
    })
    await client.query(`insert into service.migrations values ('0001_platform.sql', 'other')`)
    expect(await only()).toMatchObject({
      state: 'fault',
      says: expect.stringContaining('0001_platform.sql is not the file'),
    })
    await client.query(`insert into service.migrations values ('9999_future.sql', 'other')`)
    expect(await only()).toMatchObject({
      state: 'fault',
      says: expect.stringContaining('newer version: it has 9999_future.sql'),
    })
  })

  it('an index or a signer that lags, or is ahead of its ledger, and a clock that was turned back', async () => {
    await client.query(`create schema chain; create schema ledger; create schema signer;
      create table chain.blocks (number int); insert into chain.blocks values (100);
      create table ledger.block (height int, time timestamptz); insert into ledger.block values (100, now());
      create table signer.ledger (height bigint); insert into signer.ledger values (100)`)
    const states = async () => [...(await check('index')), ...(await check('signer'))].map(({ state }) => state)
    expect(await states()).toEqual(['ok', 'ok'])
    await client.query('update ledger.block set height = 49; update signer.ledger set height = 101')
    expect(await states()).toEqual(['fault', 'fault'])
    expect((await check('clock')).map(({ state }) => state)).toEqual(['ok'])
    await client.query(`update ledger.block set time = now() + interval '1 minute'`)
    expect((await check('clock')).map(({ state }) => state)).toEqual(['ok', 'fault'])
  })

  it('a role that does not get in', async () => {
    const url = new URL(database.url)
    url.username = 'nobody_at_all'
    const findings = await checkDatabase({ databases: { owner: database.url, api: url.href }, projectRoot })
    expect(findings.find((finding) => finding.check === 'role')).toMatchObject({ state: 'fault' })
  })
  it('a role that may not ask which database it is in, as the journal of erasures does', async () => {
    const role = `asker_${process.pid}`
    const url = Object.assign(new URL(database.url), { username: role, password: role })
    const found = async () =>
      (await checkDatabase({ databases: { owner: database.url, api: url.href }, projectRoot })).filter(
        ({ check }) => check === 'role' || check === 'journal',
      )
    await client.query(`create role ${role} login password '${role}'`)
    try {
      expect((await found()).map(({ state }) => state)).toEqual(['ok'])
      await client.query('revoke execute on function pg_control_system(), pg_walfile_name(pg_lsn) from public')
      const [, withheld] = await found()
      expect(withheld).toMatchObject({ check: 'journal', state: 'warning' })
      await client.query(withheld?.remedy?.split('superuser: ')[1] ?? '')
      expect((await found()).map(({ state }) => state)).toEqual(['ok'])
    } finally {
      await client.query(`drop owned by ${role}; drop role ${role}`)
    }
  })
})
