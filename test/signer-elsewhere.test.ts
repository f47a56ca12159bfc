import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { hasOpenSsl } from '../api/src/platform/testing/certificate.js'
import { freePort } from '../scripts/start/processes/ports.js'
import { startTestDatabase } from '../scripts/start/test-database.js'
import { programOf } from './support/compose.js'
import { type Production, startProduction } from './support/production.js'
import {
  type Chosen,
  type ProductionPlace,
  productionPlace,
  programService,
  type ServiceProcess,
  settingsOf,
} from './support/production-services.js'
import { CADDY, needsProgram, REDIS } from './support/programs.js'
import { root } from './support/repository-files.js'
import { settingsIn } from './support/settings-file.js'

needsProgram('Redis', REDIS !== undefined)
needsProgram('Caddy', CADDY !== undefined)
needsProgram('OpenSSL', hasOpenSsl)

const execute = promisify(execFile)

const LIBRARY = '/usr/lib/softhsm/libsofthsm2.so'
const hasToken = existsSync(LIBRARY) && existsSync('/usr/bin/pkcs11-tool')
needsProgram('SoftHSM, or OpenSC', hasToken)
const PIN = '7351-pin'

/** Makes a PKCS#11 token in a folder, and returns the settings for it. */
async function makeToken(folder: string): Promise<Chosen> {
  const configuration = join(folder, 'softhsm2.conf')
  await mkdir(join(folder, 'tokens'))
  await writeFile(configuration, `directories.tokendir = ${join(folder, 'tokens')}\nobjectstore.backend = file\n`)
  const masterKeyEnvironment = { SOFTHSM2_CONF: configuration }
  const words = ['--init-token', '--free', '--label', 'accredit', '--pin', PIN, '--so-pin', '4321']
  await execute('softhsm2-util', words, { env: { PATH: process.env.PATH, ...masterKeyEnvironment } })
  const given = { MASTER_KEY_MODULE: `/pkcs11/${basename(LIBRARY)}`, MASTER_KEY_TOKEN: 'accredit' }
  return { given, masterKeyFolder: dirname(LIBRARY), masterKeyEnvironment }
}

/** The name by which the product reaches the signer's host in this test. */
const NAME = 'localhost'

describe.runIf(REDIS && CADDY && hasOpenSsl && hasToken)(
  'the signer on a host of its own, its master key in a token, all services started with the settings of docker-compose.yml',
  () => {
    let folder: string
    let database: Awaited<ReturnType<typeof startTestDatabase>>
    let signer: ServiceProcess
    let production: Production

    /** Does what the head of the file says: on the signer's host first, and then what the product's host gets of it. */
    async function makeHost(product: ProductionPlace, port: number): Promise<ServiceProcess> {
      const own = await productionPlace(folder, database.url, await makeToken(folder))
      const place = { ...own, ports: { ...own.ports, ledger: product.ports.ledger } }
      const secrets = join(folder, 'secrets')
      await writeFile(join(secrets, 'master-key-pin'), PIN)
      const environment = { PATH: process.env.PATH, SECRETS: secrets }
      await execute('scripts/operate/make-signer-certificates', [NAME], { cwd: root, env: environment })
      for (const name of ['signer-token', 'signer-authority', 'caller-certificate', 'caller-key'])
        await copyFile(join(secrets, name), join(product.folder, 'secrets', name))
      await execute(process.execPath, programOf('prepare'), { cwd: root, env: settingsOf('prepare', place) })
      // The embedded ledger gives money to the account of this file; on a network the council does.
      await copyFile(join(folder, 'ledger', 'fee-account'), join(product.folder, 'ledger', 'fee-account'))
      return programService('signer-tls', place, { SIGNER_HOST: '0.0.0.0', SIGNER_PORT: String(port) })
    }

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'accredit-signer-'))
      database = await startTestDatabase()
      const port = await freePort()
      const file = await settingsIn('scripts/operate/signer-elsewhere.env')
      const given = { ...file, SIGNER_URL: String(file.SIGNER_URL).replace('signer.example:9465', `${NAME}:${port}`) }
      const signerElsewhere = async (place: ProductionPlace) => {
        signer = await makeHost(place, port)
        return signer
      }
      production = await startProduction({ given, signerElsewhere })
    }, 600_000)
    afterAll(async () => {
      await production?.stop()
      await database?.stop()
      await rm(folder, { recursive: true, force: true })
    })

    const health = (more: Record<string, string> = {}) =>
      execute(process.execPath, signer.health ?? [], { cwd: root, env: { ...signer.env, ...more } })

    it('makes a DID over mutual TLS, with keys that the product’s own database has none of', async () => {
      const { said } = await production.run('api', ['api/dist/team.js', '--name', 'First team'])
      const key = JSON.parse(said.trim().split('\n').at(-1) ?? '').apiKey
      const { status, body } = await production.call('POST', '/dids', {}, key)
      expect(status).toBe(200)
      await vi.waitFor(
        async () =>
          expect((await production.call('GET', `/jobs/${body.id}`, undefined, key)).body.status).toBe('finalized'),
        { timeout: 120_000, interval: 100 },
      )
      expect(existsSync(join(production.folder, 'signer.sock'))).toBe(false)
      const keysIn = async (url: string) => {
        const client = new Client({ connectionString: url })
        await client.connect()
        const { rows } = await client.query('select count(*)::int as count from signer.keys')
        await client.end()
        return rows[0].count
      }
      expect(await keysIn(database.url)).toBeGreaterThan(0)
      expect(await keysIn(production.databaseUrl)).toBe(0)
    })

    it('has a master key that never leaves the token', async () => {
      const { keys } = JSON.parse(await readFile(join(folder, 'signer', 'master.key'), 'utf8'))
      expect(keys.length).toBeGreaterThan(0)
      for (const key of keys) expect(key).toMatchObject({ token: 'accredit' })
    })

    it('is healthy as long as it answers over TLS, and is so to nobody without a certificate of its authority', async () => {
      await health()
      await expect(health({ SIGNER_TLS_CERT_FILE: '' })).rejects.toThrow(/signer: /)
      const strangers = join(folder, 'strangers')
      const environment = { PATH: process.env.PATH, SECRETS: strangers }
      await execute('scripts/operate/make-signer-certificates', [NAME], { cwd: root, env: environment })
      const shown = { CERT: 'signer-certificate', KEY: 'signer-key' }
      const files = Object.entries(shown).map(([part, name]) => [`SIGNER_TLS_${part}_FILE`, join(strangers, name)])
      await expect(health(Object.fromEntries(files))).rejects.toThrow(/signer: .*(?:alert|unknown ca|hang up)/i)
      await production.kill('signer')
      await expect(health()).rejects.toThrow(`ECONNREFUSED 127.0.0.1:${signer.env.SIGNER_PORT}`)
      await production.start('signer')
    })

    it('has its certificate looked at by the doctor, who tells before it ends', async () => {
      const doctor = () =>
        production.run('prepare', ['scripts/dist/doctor/production.js'], {
          API_URL: `http://127.0.0.1:${production.replicas[0]}`,
          NODE_EXTRA_CA_CERTS: production.authority,
        })
      expect((await doctor()).said).toMatch(/caller-certificate/)
      const file = join(production.folder, 'secrets', 'caller-certificate')
      const kept = await readFile(file)
      await rm(file)
      await writeFile(file, 'no certificate')
      expect((await doctor()).said).toMatch(/^fault .*caller-certificate/m)
      await writeFile(file, kept)
    })
  },
)
