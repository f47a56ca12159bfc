import { execFile } from 'node:child_process'
import { verify } from 'node:crypto'
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { openLedger, randomKeys } from '@accredit/embedded-ledger'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ScratchDatabase, scratchDatabase } from '../../test/support/scratch-database.js'
import type { MadeKey } from '../src/client.js'
import { helpFor } from '../src/help.js'
import { initialise, restoreMasterKey, rotateMasterKey } from '../src/index.js'
import { ed25519 } from './ed25519.js'
import { newDid, openSignerHere, openWorld, settled, type TestSigner, type World } from './support.js'

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url))

describe('the master key', () => {
  let world: World
  let signer: TestSigner
  let key: MadeKey
  let stale: string
  let copy: ScratchDatabase | undefined

  beforeAll(async () => {
    world = await openWorld()
    signer = await openSignerHere(world)
    const [made] = await signer.client.makeKeys('kept', ['Ed25519'])
    if (made === undefined) throw new Error('no key')
    key = made
    await signer.client.bindKeys('kept')
    stale = join(world.folder, 'stale.key')
    copyFileSync(world.masterKeyFile, stale)
  })
  afterAll(async () => {
    await signer.stop()
    await world.close()
    await copy?.drop()
  })

  async function expectSignature() {
    const bytes = Buffer.from('afterwards')
    const [signature] = await signer.client.sign([{ keyRef: key.keyRef, bytes }])
    expect(verify(null, bytes, ed25519(key.publicKey), signature ?? Buffer.alloc(0))).toBe(true)
  }

  test('the old one opens nothing after a rotation, and every key signs as before', async () => {
    const wrapped = async () => (await world.sql.query('select master_key_id from signer.data_keys')).rows
    const [old] = await wrapped()
    await expect(rotateMasterKey(world)).rejects.toThrow('A signer holds this database')
    expect(readFileSync(world.masterKeyFile, 'utf8')).toBe(readFileSync(stale, 'utf8'))
    await signer.stop()
    expect(await command('rotate-master-key')).toBe('{"rewrapped":1}\n')
    expect(readFileSync(world.masterKeyFile, 'utf8')).not.toContain(JSON.parse(readFileSync(stale, 'utf8')).keys[0].key)
    expect(await wrapped()).not.toContainEqual(old)
    signer = await openSignerHere(world)
    await expectSignature()
    expect(await initialise(world)).toBe(world.feeAccount)
  })

  test('a copy of the database and one of the key are all that a signer needs on a fresh machine', async () => {
    const folder = join(world.folder, 'fresh')
    mkdirSync(folder)
    const backup = join(folder, 'backup.key')
    copyFileSync(world.masterKeyFile, backup)
    await signer.stop()
    await world.ledger.close()
    await world.sql.end()
    copy = await scratchDatabase(new URL(world.databaseUrl).pathname.slice(1))
    const fresh = { databaseUrl: copy.url, masterKeyFile: join(folder, 'master.key'), socket: join(folder, 'socket') }

    await expect(initialise(fresh)).rejects.toThrow(`${fresh.masterKeyFile} is missing. Without it the private keys`)
    expect(existsSync(fresh.masterKeyFile)).toBe(false)
    writeFileSync(fresh.masterKeyFile, 'no JSON', { mode: 0o600 })
    await expect(initialise(fresh)).rejects.toThrow('is not a master key file')
    copyFileSync(stale, fresh.masterKeyFile)
    await expect(initialise(fresh)).rejects.toThrow('does not hold the master key')
    rmSync(fresh.masterKeyFile)
    await expect(restoreMasterKey(fresh, join(folder, 'none'))).rejects.toThrow('There is no file')
    await expect(restoreMasterKey(fresh, stale)).rejects.toThrow('does not hold the master key')
    const damaged = join(folder, 'damaged.key')
    const { keys } = JSON.parse(readFileSync(backup, 'utf8'))
    writeFileSync(damaged, JSON.stringify({ keys: [{ ...keys[0], key: Buffer.alloc(32).toString('base64') }] }), {
      mode: 0o600,
    })
    await expect(restoreMasterKey(fresh, damaged)).rejects.toThrow('one of them is damaged')
    chmodSync(backup, 0o640)
    await expect(restoreMasterKey(fresh, backup)).rejects.toThrow('mode 0600')
    chmodSync(backup, 0o600)
    expect(await command('restore-master-key', fresh, backup)).toBe('{"restored":1}\n')
    expect(statSync(fresh.masterKeyFile).mode & 0o777).toBe(0o600)
    await expect(restoreMasterKey(fresh, backup)).rejects.toThrow('already')

    world.ledger = await openLedger({ databaseUrl: copy.url, keys: randomKeys() })
    signer = await openSignerHere({ ...world, ...fresh })
    await expectSignature()
    const { creation } = await newDid(signer.client)
    await signer.client.submitActions([creation])
    expect((await settled(signer.client, [creation.id])).get(creation.id)).toMatchObject({ state: 'final' })
  })

  test('--help tells how a command is used', async () => {
    for (const name of ['rotate-master-key', 'restore-master-key'])
      expect(helpFor(name)).toMatch(new RegExp(`^main.js ${name}[^]*DATABASE_URL`))
    expect(await command('rotate-master-key', world, '--help')).toBe(helpFor('rotate-master-key'))
  })

  async function command(name: string, place: Pick<World, 'databaseUrl' | 'masterKeyFile'> = world, ...more: string[]) {
    const env = { ...process.env, DATABASE_URL: place.databaseUrl, MASTER_KEY_FILE: place.masterKeyFile }
    return (await promisify(execFile)(process.execPath, [main, name, ...more], { env })).stdout
  }
})
