import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../scripts/start/processes/ports.js'
import { builders, type Degree, type Verification } from './support/ecosystem.js'
import { type Serving, startServing } from './support/npm-start.js'
import { type OwnPostgres, ownPostgres } from './support/own-postgres.js'
import { needsProgram, POSTGRES_BIN, typed } from './support/programs.js'
import { commandsOf } from './support/readme.js'

const OF_YOURS = 'With a database of yours'

needsProgram('PostgreSQL', POSTGRES_BIN !== undefined)

describe.runIf(POSTGRES_BIN)('a copy of the database and the folder, made and used as README says', () => {
  const bin = POSTGRES_BIN ?? ''
  let postgres: OwnPostgres
  let folder: string
  /** The folder in which the commands are typed. */
  let here: string
  /** No `DATABASE_URL`: its password would be an argument, which everybody on the machine reads. */
  let env: { ADDRESS: string; PGPASSWORD: string; PATH: string }
  let args: string[]
  let serving: Serving

  const world = () => builders(serving.ready.apiUrl, serving.ready.apiKey)
  const serve = async () => {
    serving = await startServing(args, postgres.urlOf('accredit'))
  }

  beforeAll(async () => {
    postgres = await ownPostgres(bin)
    folder = await mkdtemp(join(tmpdir(), 'accredit-backup-'))
    here = join(folder, 'here')
    await mkdir(here)
    const path = `${bin}:${process.env.PATH}`
    env = { ADDRESS: postgres.addressOf('accredit'), PGPASSWORD: postgres.password, PATH: path }
    args = ['--state', join(here, '.accredit'), '--port', String(await freePort())]
    typed(`createdb --maintenance-db ${postgres.addressOf('postgres')} accredit`, folder, env)
    await serve()
  })
  afterAll(async () => {
    if (serving.child.exitCode === null) await serving.stop()
    await postgres.stop()
    await rm(folder, { recursive: true })
  })

  /** Another machine: the server knows neither the database nor its roles. */
  async function forgetEverything(): Promise<void> {
    await rename(join(here, '.accredit'), join(folder, 'lost'))
    const client = new pg.Client({ connectionString: postgres.urlOf('postgres') })
    await client.connect()
    await client.query('drop database accredit with (force)')
    const { rows } = await client.query<{ name: string }>(
      `select quote_ident(rolname) as name from pg_roles where oid >= 16384`,
    )
    expect(rows.length).toBeGreaterThan(3)
    for (const { name } of rows) await client.query(`drop role ${name}`)
    await client.end()
  }

  it('is made and used without a password among the arguments of a command', () => {
    for (const section of ['Backup.', 'Restore']) expect(commandsOf(section, OF_YOURS)).not.toContain('DATABASE_URL')
  })

  it('holds what was issued, whose keys act, and who may do what', async () => {
    const { organisation, schema, registry, accredit, degree, client } = world()
    const statusWith = async (key: string) =>
      (await fetch(`${serving.ready.apiUrl}/dids`, { headers: { 'svc-api-token': key } })).status
    const [convener, university] = [await organisation('Council'), await organisation('University')]
    const schemaUri = await schema()
    const ecosystem = await registry(convener, 'Degrees')
    await accredit(ecosystem, university, [schemaUri])
    const credential = await degree(university, schemaUri)
    const question = new URLSearchParams({ did: university, schema: schemaUri, role: 'issuer' })
    const answer = () => world().client.call<object>('GET', `/trust-registries/${ecosystem}/authorization?${question}`)
    const verify = (data: Degree) =>
      world().client.call<Verification>('POST', '/verify', { data, trustRegistryId: ecosystem })
    const { block: _, time: __, ...before } = { block: 0, time: '', ...(await answer()) }
    expect(before).toMatchObject({ authorized: true, reason: 'direct' })
    expect((await verify(credential)).verified).toBe(true)

    const revoked = await client.call<{ key: string; jwt: string }>('POST', '/keys', { alias: 'revoked later' })
    typed(commandsOf('Backup.', OF_YOURS), here, env)
    await client.call('DELETE', `/keys/${revoked.key}`)
    // The copy does not have it.
    const late = await client.call<{ did: string; id: string }>('POST', '/dids', {})
    await client.finished(late.id)
    typed(commandsOf('Backup.', 'The journal, locally'), here)
    await serving.stop()
    await forgetEverything()
    typed(commandsOf('Restore', OF_YOURS), here, env)
    await serve()

    expect(await answer()).toMatchObject(before)
    expect((await verify(credential)).verified).toBe(true)
    await expect(world().client.call('GET', `/dids/${late.did}`)).rejects.toThrow(/404/)
    await expect.poll(() => statusWith(revoked.jwt)).toBe(401)
    // Both DIDs act on the ledger with the keys that they had.
    expect((await verify(await world().degree(university, schemaUri))).verified).toBe(true)
    const newcomer = await world().organisation('Newcomer')
    await world().accredit(ecosystem, newcomer, [schemaUri])
    const path = `/credentials/${encodeURIComponent(credential.id)}/revoke`
    await world().client.finished((await world().client.call<{ id: string }>('POST', path)).id)
    expect((await verify(credential)).verified).toBe(false)
  })
})
