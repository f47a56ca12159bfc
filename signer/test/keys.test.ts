import { verify } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { KEY_LENGTHS } from '@accredit/chain'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type KeyKind, SignerRefused } from '../src/client.js'
import { ed25519 } from './ed25519.js'
import { didOfKeys, openSignerHere, openWorld, settled, startSigner, type TestSigner, type World } from './support.js'

/** P1 of the parameters: the value that every accumulator begins with. */
const FIRST_VALUE = '0xaa62c3dd09056155f1ddea5ec45e9b1c3c29b2e4db10e84db231bc96d5b806eae4eeda48104b1e5889571865716814a6'

describe('keys stay in the signer', () => {
  let world: World
  let signer: TestSigner

  beforeAll(async () => {
    world = await openWorld()
    signer = await startSigner(world, {
      SIGNER_CAPABILITIES: 'keys,sign,act,export',
      SIGNER_EXPORT_PER_MINUTE: '100',
      LOG_LEVEL: 'trace',
    })
  })
  afterAll(async () => {
    await signer.stop()
    await world.close()
  })

  test('all kinds of a DID are made, each with a public key that the ledger takes', async () => {
    const kinds: KeyKind[] = [
      'Ed25519',
      'X25519',
      'BabyJubJub',
      'Bls12381G2',
      'Secp256k1',
      'Sr25519',
      'Bls12381G2Plus2022',
    ]
    const keys = await signer.client.makeKeys('all kinds', kinds)
    expect(keys.map(({ kind, publicKey }) => [kind, (publicKey.length - 2) / 2])).toEqual(
      kinds.map((kind) => [kind, KEY_LENGTHS[kind]]),
    )
    const { creation } = didOfKeys(keys)
    await signer.client.submitActions([creation])
    const states = await settled(signer.client, [creation.id])
    expect(states.get(creation.id)).toMatchObject({ state: 'final' })
  })

  test('a private key that is brought is kept, and comes back as it came, with its public key', async () => {
    const kinds: KeyKind[] = [
      'Ed25519',
      'X25519',
      'BabyJubJub',
      'Bls12381G2',
      'Secp256k1',
      'Sr25519',
      'Bls12381G2Plus2022',
    ]
    const made = await signer.client.makeKeys('to move', kinds)
    const exported = await signer.client.exportKeys(made.map(({ keyRef }) => keyRef))
    const given = kinds.map((kind) => ({
      kind,
      privateKey: exported.find((key) => key.kind === kind)?.privateKey ?? '',
    }))
    const moved = await signer.client.importKeys('moved', given)
    expect(moved.map(({ publicKey }) => publicKey)).toEqual(made.map(({ publicKey }) => publicKey))
    for (const asked of [moved, moved.toReversed()]) {
      const again = await signer.client.exportKeys(asked.map(({ keyRef }) => keyRef))
      expect(again.map(({ kind }) => kind)).toEqual(asked.map(({ kind }) => kind))
      const byKind = new Map(again.map(({ kind, privateKey }) => [kind, privateKey]))
      expect(given.map(({ kind }) => byKind.get(kind))).toEqual(given.map(({ privateKey }) => privateKey))
    }
  })

  test('the same private keys under a handle are the same keys, others are refused, malformed ones change nothing', async () => {
    const given = (byte: string, kind: KeyKind = 'Ed25519') => [{ kind, privateKey: `0x${byte.repeat(32)}` }]
    const asked = Array.from({ length: 4 }, () => signer.client.importKeys('brought', given('01')))
    const [first, ...others] = await Promise.all(asked)
    for (const other of others) expect(other).toEqual(first)
    await expect(signer.client.importKeys('brought', given('02'))).rejects.toMatchObject({ type: 'handle_taken' })
    await expect(signer.client.importKeys('odd', given('00', 'Bls12381G2'))).rejects.toMatchObject({
      status: 422,
      type: 'malformed_key',
    })
    const [sound] = await signer.client.importKeys('odd', given('01', 'Bls12381G2'))
    expect(sound).toMatchObject({ kind: 'Bls12381G2' })
  })

  test('a handle has one set of keys, however often and however concurrently it is asked for', async () => {
    const asked = Array.from({ length: 8 }, () => signer.client.makeKeys('same', ['Ed25519', 'X25519']))
    const [first, ...others] = await Promise.all(asked)
    for (const other of others) expect(other).toEqual(first)
    await expect(signer.client.makeKeys('same', ['Ed25519'])).rejects.toMatchObject({
      status: 409,
      type: 'handle_taken',
    })
  })

  test('a signature is good for the public key, and bad requests do not spoil their neighbours', async () => {
    const [key] = await signer.client.makeKeys('signs', ['Ed25519'])
    const [agreement] = await signer.client.makeKeys('agrees', ['X25519'])
    const bytes = Buffer.from('a message')
    const [good, unknown, wrongKind] = await Promise.allSettled([
      signer.client.sign([{ keyRef: key?.keyRef ?? '', bytes }]),
      signer.client.sign([{ keyRef: 'k_unknown', bytes }]),
      signer.client.sign([{ keyRef: agreement?.keyRef ?? '', bytes }]),
    ])
    if (good?.status !== 'fulfilled') throw new Error('no signature')
    expect(verify(null, bytes, ed25519(key?.publicKey ?? ''), good.value[0] ?? Buffer.alloc(0))).toBe(true)
    expect(unknown).toMatchObject({ status: 'rejected', reason: { type: 'key_not_found' } })
    const why = { type: 'key_cannot_sign', message: 'A key of kind X25519 cannot sign.' }
    expect(wrongKind).toMatchObject({ status: 'rejected', reason: why })
  })

  test('many messages are signed at once, and a MAC is checked by the key that made it', async () => {
    const [bbs, mac] = await signer.client.makeKeys('many messages', ['Bls12381G2', 'BBDT16'])
    const [plain] = await signer.client.makeKeys('one message', ['Ed25519'])
    const messages = [1, 2, 3].map((byte) => new Uint8Array(32).fill(byte))
    expect(await signer.client.signMessages(bbs?.keyRef ?? '', messages)).toHaveLength(80)
    const made = await signer.client.signMessages(mac?.keyRef ?? '', messages)
    expect(await signer.client.verifyKeyed(mac?.keyRef ?? '', { messages, mac: made })).toBe(true)
    expect(await signer.client.verifyKeyed(mac?.keyRef ?? '', { messages: messages.slice(1), mac: made })).toBe(false)
    for (const keyRef of ['k_unknown', plain?.keyRef ?? ''])
      await expect(signer.client.signMessages(keyRef, messages)).rejects.toMatchObject({
        status: 422,
        type: keyRef === 'k_unknown' ? 'key_not_found' : 'key_cannot_sign',
      })
    const { rows } = await world.sql.query('select operation, outcome from signer.audit where $1 = any(subjects)', [
      mac?.keyRef,
    ])
    expect(rows.map(({ operation, outcome }) => `${operation} ${outcome}`)).toEqual([
      'signMessages done',
      'verifyKeyed done',
      'verifyKeyed done',
    ])
  })

  test('a retired key checks what it made, and signs no more', async () => {
    const [mac] = await signer.client.makeKeys('retired mac', ['BBDT16'])
    const [plain] = await signer.client.makeKeys('retired', ['Ed25519'])
    const messages = [1, 2].map((byte) => new Uint8Array(32).fill(byte))
    const made = await signer.client.signMessages(mac?.keyRef ?? '', messages)
    await signer.client.retireKeys([mac?.keyRef ?? '', plain?.keyRef ?? ''])
    expect(await signer.client.verifyKeyed(mac?.keyRef ?? '', { messages, mac: made })).toBe(true)
    await expect(signer.client.signMessages(mac?.keyRef ?? '', messages)).rejects.toMatchObject({
      status: 422,
      type: 'key_retired',
    })
    await expect(signer.client.sign([{ keyRef: plain?.keyRef ?? '', bytes: Buffer.from('x') }])).rejects.toMatchObject({
      type: 'key_not_found',
    })
    expect(await signer.client.exportKeys([mac?.keyRef ?? '', plain?.keyRef ?? ''])).toEqual([])
    await signer.client.destroyKeys([mac?.keyRef ?? ''])
    await expect(signer.client.verifyKeyed(mac?.keyRef ?? '', { messages, mac: made })).rejects.toMatchObject({
      type: 'key_not_found',
    })
  })

  test('the key of an accumulator makes values and witnesses, signs nothing, and is audited', async () => {
    const [key, plain] = await signer.client.makeKeys('an accumulator', ['VbAccumulator', 'Ed25519'])
    const keyRef = key?.keyRef ?? ''
    expect(key?.publicKey).toMatch(/^0x[0-9a-f]{192}$/)
    const { accumulator } = signer.client
    const [without] = await accumulator.witness({ keyRef, accumulated: FIRST_VALUE, members: [7] })
    const { accumulated, witnessUpdateInfo } = await accumulator.update({
      keyRef,
      accumulated: FIRST_VALUE,
      additions: [],
      removals: [7],
    })
    expect(accumulated).toBe(without)
    expect(witnessUpdateInfo).toHaveLength(2 + 2 * 56)
    await expect(accumulator.witness({ keyRef: plain?.keyRef ?? '', accumulated, members: [1] })).rejects.toMatchObject(
      { type: 'key_cannot_sign' },
    )
    await expect(
      accumulator.witness({ keyRef, accumulated: `0x${'c0'.padEnd(96, '0')}`, members: [1] }),
    ).rejects.toMatchObject({
      status: 422,
    })
    for (const bytes of [new Uint8Array(32), new Uint8Array(64)])
      await expect(signer.client.sign([{ keyRef, bytes }])).rejects.toMatchObject({ status: 422 })
    const { rows } = await world.sql.query('select operation, outcome from signer.audit where $1 = any(subjects)', [
      keyRef,
    ])
    expect(rows.map(({ operation, outcome }) => `${operation} ${outcome}`).slice(0, 3)).toEqual([
      'accumulatorWitness done',
      'updateAccumulator done',
      'accumulatorWitness malformed_value',
    ])
  })

  test('bytes that would act on the ledger are not signed as a message', async () => {
    const [key] = await signer.client.makeKeys('tags', ['Ed25519'])
    const keyRef = key?.keyRef ?? ''
    for (const tag of ['accredit/did/create/v1', 'accredit/did/dispatch/v1']) {
      const asked = signer.client.sign([{ keyRef, bytes: Buffer.from(`${tag} and more`) }])
      await expect(asked).rejects.toMatchObject({ type: 'acts_on_ledger' })
    }
    await expect(signer.client.sign([{ keyRef, bytes: Buffer.from('accredit/did/possess/v1') }])).resolves.toHaveLength(
      1,
    )
  })

  test('neither a row nor the log nor the audit holds a private key', async () => {
    const [key] = await signer.client.makeKeys('sealed', ['Ed25519'])
    await signer.client.sign([{ keyRef: key?.keyRef ?? '', bytes: Buffer.from('x') }])
    const [exported] = await signer.client.exportKeys([key?.keyRef ?? ''])
    const secret = Buffer.from((exported?.privateKey ?? '').slice(2), 'hex')
    expect(secret).toHaveLength(32)
    await signer.client.importKeys('sealed again', [{ kind: 'Ed25519', privateKey: exported?.privateKey ?? '' }])
    await signer.client
      .importKeys('sealed', [{ kind: 'X25519', privateKey: exported?.privateKey ?? '' }])
      .catch(() => 0)
    const { rows } = await world.sql.query('select sealed from signer.keys where sealed is not null')
    for (const row of rows) expect(row.sealed.includes(secret)).toBe(false)
    const { rows: everything } = await world.sql.query(`
      select row_to_json(t)::text as text from signer.audit t union all select row_to_json(t)::text from signer.keys t`)
    const said = [...everything.map(({ text }) => text), ...signer.lines].join('\n')
    for (const form of ['hex', 'base64', 'base64url'] as const) expect(said).not.toContain(secret.toString(form))
    const masterKey = JSON.parse(readFileSync(world.masterKeyFile, 'utf8')).keys[0].key
    expect(said).not.toContain(masterKey)
    expect(statSync(world.masterKeyFile).mode & 0o777).toBe(0o600)
    expect(statSync(world.socket).mode & 0o777).toBe(0o600)
  })

  test('every use of a key is in the audit, refused ones with the reason', async () => {
    const [key] = await signer.client.makeKeys('audited', ['Ed25519'])
    const keyRef = key?.keyRef ?? ''
    await signer.client.sign([{ keyRef, bytes: Buffer.from('x') }])
    await signer.client.exportKeys([keyRef])
    await expect(signer.client.makeKeys('audited', ['X25519'])).rejects.toThrow(SignerRefused)
    const { rows } = await world.sql.query(
      'select operation, outcome from signer.audit where $1 = any(subjects) or $2 = any(subjects) order by id',
      [keyRef, 'audited'],
    )
    expect(rows).toEqual([
      { operation: 'makeKeys', outcome: 'done' },
      { operation: 'sign', outcome: 'done' },
      { operation: 'exportKeys', outcome: 'done' },
      { operation: 'makeKeys', outcome: 'handle_taken' },
    ])
  })

  test('keys are bound as often as it is asked for, and a handle whose keys are lost is not', async () => {
    await signer.client.makeKeys('bound twice', ['Ed25519'])
    await signer.client.makeKeys('lost', ['Ed25519'])
    // The row is lost, as after a crash of Postgres before it was on the disk.
    await world.sql.query(`delete from signer.keys where handle = 'lost'`)
    const handles = ['bound twice', 'lost', 'bound twice', 'never made']
    const bound = await Promise.allSettled(handles.map((handle) => signer.client.bindKeys(handle)))
    const lost = { status: 'rejected', reason: expect.objectContaining({ status: 409, type: 'keys_lost' }) }
    const done = { status: 'fulfilled', value: undefined }
    expect(bound).toEqual([done, lost, done, lost])
    await expect(signer.client.bindKeys('bound twice')).resolves.toBeUndefined()
    await expect(signer.client.makeKeys('lost', ['Ed25519'])).resolves.toHaveLength(1)
    await expect(signer.client.bindKeys('lost')).resolves.toBeUndefined()
  })

  test('only the entry about keys that were made and are not bound yet does not wait for the disk', async () => {
    await world.sql.query(`
      create table public.audit_commits (operation text, outcome text, waits text);
      create function public.note_commit() returns trigger language plpgsql as $$ begin
        insert into public.audit_commits values (new.operation, new.outcome, current_setting('synchronous_commit'));
        return new;
      end $$;
      create trigger note_commit before insert on signer.audit for each row execute function public.note_commit()`)
    await signer.client.makeKeys('commits', ['Ed25519'])
    await signer.client.makeKeys('commits', ['X25519']).catch(() => undefined)
    await signer.client.bindKeys('commits')
    await world.sql.query('drop trigger note_commit on signer.audit')
    const { rows } = await world.sql.query('select operation, outcome, waits from public.audit_commits')
    expect(rows).toEqual([
      { operation: 'makeKeys', outcome: 'done', waits: 'off' },
      { operation: 'makeKeys', outcome: 'handle_taken', waits: 'on' },
      { operation: 'bindKeys', outcome: 'done', waits: 'on' },
    ])
  })

  test('a destroyed key signs no more and does not come back under its handle', async () => {
    const [key] = await signer.client.makeKeys('gone', ['Ed25519'])
    const keyRef = key?.keyRef ?? ''
    await signer.client.destroyKeys([keyRef])
    await expect(signer.client.sign([{ keyRef, bytes: Buffer.from('x') }])).rejects.toMatchObject({
      type: 'key_not_found',
    })
    await expect(signer.client.makeKeys('gone', ['Ed25519'])).rejects.toMatchObject({ type: 'keys_destroyed' })
    const { rows } = await world.sql.query('select sealed from signer.keys where key_ref = $1', [keyRef])
    expect(rows).toEqual([{ sealed: null }])
  })

  test('keys are not exported unless the signer grants it', async () => {
    await signer.stop()
    signer = await openSignerHere(world)
    const [key] = await signer.client.makeKeys('kept', ['Ed25519'])
    const asked = signer.client.exportKeys([key?.keyRef ?? ''])
    await expect(asked).rejects.toMatchObject({ status: 403, type: 'capability_missing' })
  })

  test('keys of requests that came to nothing are swept after a day, bound ones stay', async () => {
    await signer.client.makeKeys('orphan', ['Ed25519'])
    await signer.client.makeKeys('bound', ['Ed25519'])
    await signer.client.bindKeys('bound')
    await world.sql.query(
      `update signer.keys set created_at = now() - interval '25 hours' where handle in ('orphan', 'bound')`,
    )
    await signer.stop()
    signer = await openSignerHere(world)
    const left = `select handle from signer.keys where handle in ('orphan', 'bound')`
    await expect.poll(async () => (await world.sql.query(left)).rows).toEqual([{ handle: 'bound' }])
  })
})
