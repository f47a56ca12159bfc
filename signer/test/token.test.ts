import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { needsProgram } from '../../test/support/programs.js'
import { scratchDatabase } from '../../test/support/scratch-database.js'
import { readStoreConfig } from '../src/config.js'
import { SetupError } from '../src/errors.js'
import { initialise, rotateMasterKey } from '../src/index.js'
import { makeTokenKey, tokenKey } from '../src/keys/token.js'
import { openSignerHere, openWorld, type World } from './support.js'

const MODULE = '/usr/lib/softhsm/libsofthsm2.so'
const areThere = existsSync(MODULE) && existsSync('/usr/bin/pkcs11-tool')
needsProgram('SoftHSM, or OpenSC', areThere)

const PIN = '7351-pin'

describe.runIf(areThere)('a master key in a PKCS#11 token', () => {
  const token = { module: MODULE, label: 'accredit', pin: PIN }
  const settings = { MASTER_KEY_MODULE: MODULE, MASTER_KEY_TOKEN: 'accredit', MASTER_KEY_PIN: PIN }
  let folder: string
  let world: World

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'token-'))
    mkdirSync(join(folder, 'tokens'))
    const configuration = join(folder, 'softhsm2.conf')
    writeFileSync(configuration, `directories.tokendir = ${join(folder, 'tokens')}\nobjectstore.backend = file\n`)
    vi.stubEnv('SOFTHSM2_CONF', configuration)
    execFileSync('softhsm2-util', ['--init-token', '--free', '--label', 'accredit', '--pin', PIN, '--so-pin', '4321'])
    await makeTokenKey(token, 'aa01')
    world = await openWorld()
  })
  afterAll(async () => {
    await world?.close()
    vi.unstubAllEnvs()
    rmSync(folder, { recursive: true })
  })

  const entries = () => JSON.parse(readFileSync(world.masterKeyFile, 'utf8')).keys
  const wrappedBy = async () => (await world.sql.query('select master_key_id from signer.data_keys')).rows

  async function signs(more: Record<string, string>): Promise<boolean> {
    const signer = await openSignerHere(world, more)
    try {
      const [key] = await signer.client.makeKeys(randomBytes(8).toString('hex'), ['Ed25519'])
      const [signature] = await signer.client.sign([{ keyRef: key?.keyRef ?? '', bytes: Buffer.from('x') }])
      return signature?.length === 64
    } finally {
      await signer.stop()
    }
  }

  test('is where a rotation leads, to another key there, and out of again', async () => {
    const config = { ...world, masterKeyToken: token }
    const ids: string[] = []
    for (const toFile of [false, false, true]) {
      expect(await rotateMasterKey({ ...config, toFile })).toBe(1)
      const [{ id, ...where }, ...others] = entries()
      expect(others).toEqual([])
      expect(where).toEqual(toFile ? { key: expect.any(String) } : { token: 'accredit' })
      expect(await wrappedBy()).toEqual([{ master_key_id: id }])
      expect(await initialise(config)).toBe(world.feeAccount)
      expect(await signs(settings)).toBe(true)
      ids.push(id)
    }
    expect(new Set(ids).size).toBe(3)
    expect(await signs({})).toBe(true)
  })

  test('is the first one of a new installation, whose file then holds nothing that opens anything', async () => {
    const fresh = await scratchDatabase()
    const masterKeyFile = join(folder, 'fresh.key')
    const config = { databaseUrl: fresh.url, masterKeyFile, masterKeyToken: token }
    const account = await initialise(config)
    expect(JSON.parse(readFileSync(masterKeyFile, 'utf8'))).toEqual({
      keys: [{ id: expect.stringMatching(/^[0-9a-f]{16}$/), token: 'accredit' }],
    })
    expect(await initialise(config)).toBe(account)
    await expect(initialise({ ...config, masterKeyToken: undefined })).rejects.toThrow(
      'names a key in the token "accredit": MASTER_KEY_TOKEN has to be its label',
    )
    await fresh.drop()
  })

  test('opens only what it wrapped, for the purpose it was wrapped for', async () => {
    await makeTokenKey(token, 'aa02')
    const key = tokenKey(token, 'aa01', randomBytes)
    const wrapped = await key.wrap(Buffer.from('plain'), 'data-key 1')
    expect(String(await key.unwrap(wrapped, 'data-key 1'))).toBe('plain')
    await expect(key.unwrap(wrapped, 'data-key 2')).rejects.toThrow()
    await expect(tokenKey(token, 'aa02', randomBytes).unwrap(wrapped, 'data-key 1')).rejects.toThrow()
    for (const place of [0, 383, 384, wrapped.length - 1]) {
      const damaged = Buffer.from(wrapped)
      damaged[place] = (damaged[place] ?? 0) ^ 1
      await expect(key.unwrap(damaged, 'data-key 1'), `byte ${place}`).rejects.toThrow()
    }
  })

  test.each([
    ['the wrong PIN', { pin: '0000' }, 'refuses the PIN. It may lock itself'],
    ['another label', { label: 'nosuch' }, 'There is no token "nosuch" behind /usr/lib/softhsm'],
    ['no module', { module: '/nosuch.so' }, 'MASTER_KEY_MODULE (/nosuch.so) is not a PKCS#11 module'],
  ])('with %s is refused with a sentence, which never tells the PIN', async (_what, wrong, sentence) => {
    const wrapped = await tokenKey(token, 'aa01', randomBytes).wrap(Buffer.from('plain'), 'data-key 1')
    const refused = tokenKey({ ...token, ...wrong }, 'aa01', randomBytes).unwrap(wrapped, 'data-key 1')
    const error = await refused.catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(SetupError)
    expect(String(error)).toContain(sentence)
    expect(inspect(error, { depth: 9 })).not.toContain('pin' in wrong ? wrong.pin : PIN)
  })

  test('that the token does not hold, or a tool that is not there, is told too', async () => {
    const key = tokenKey(token, 'cc01', randomBytes)
    await expect(key.wrap(Buffer.from('x'), 'x')).rejects.toThrow('does not hold the master key cc01')
    await expect(key.unwrap(Buffer.alloc(500), 'x')).rejects.toThrow('does not hold the master key cc01')
    vi.stubEnv('PATH', folder)
    await expect(key.wrap(Buffer.from('x'), 'x')).rejects.toThrow('install OpenSC')
  })
})

test('a module, its token and the PIN are set together', () => {
  const least = { DATABASE_URL: 'postgres://x/y', MASTER_KEY_FILE: 'key' }
  const all = { MASTER_KEY_MODULE: '/m.so', MASTER_KEY_TOKEN: 't', MASTER_KEY_PIN: 'p' }
  expect(readStoreConfig({ ...least, ...all }).masterKeyToken).toEqual({ module: '/m.so', label: 't', pin: 'p' })
  expect(readStoreConfig(least).masterKeyToken).toBeUndefined()
  for (const name of Object.keys(all))
    expect(() => readStoreConfig({ ...least, ...all, [name]: '' })).toThrow('belong together')
})
