import { calls } from '@accredit/chain'
import { openLedger, randomKeys } from '@accredit/embedded-ledger'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SignerUnavailable, signerClient } from '../src/client.js'
import { initialise } from '../src/index.js'
import {
  act,
  launchSigner,
  newDid,
  openSignerHere,
  openWorld,
  type RunningSigner,
  randomHex32,
  settled,
  startSigner,
  until,
  type World,
} from './support.js'

describe('the process', () => {
  let world: World

  beforeAll(async () => {
    world = await openWorld()
  })
  afterAll(() => world.close())

  test('a second signer on the same database waits until the first is killed, and ends at once with its supervisor', async () => {
    const first = await startSigner(world)
    const launch = (name: string) => launchSigner(world, { SIGNER_SOCKET: `${world.socket}.${name}` })
    const second = launch('second')
    const third = launch('third')
    const isWaiting = ({ lines }: RunningSigner) =>
      lines.some((line) => line.includes('Another signer holds this database'))
    await until(() => [second, third].every(isWaiting))
    await expect(second.client.health()).rejects.toThrow(SignerUnavailable)
    await endsAtOnce(third, ({ process }) => process.stdin?.end())
    const actor = await newDid(first.client)
    await first.client.submitActions([actor.creation])
    await first.kill('SIGKILL')
    await until(() => second.lines.some((line) => line.startsWith('{"ready"')))
    const states = await settled(second.client, [actor.creation.id])
    expect(states.get(actor.creation.id)).toMatchObject({ state: 'final' })
    await second.kill('SIGTERM')
    expect(second.process.exitCode).toBe(0)
  })

  test('it outlives a restart of the ledger, and what was on its way is final afterwards', async () => {
    const signer = await openSignerHere(world)
    const actors = await Promise.all(Array.from({ length: 20 }, () => newDid(signer.client)))
    const actions = actors.flatMap((actor) => [
      actor.creation,
      act(actor, 1, [registry()]),
      act(actor, 2, [registry()]),
    ])
    await signer.client.submitActions(actions)
    const port = Number(new URL(world.ledger.url).port)
    await world.ledger.close()
    await until(async () => (await signer.client.health()).status === 'ledger_unavailable')
    const late = await newDid(signer.client)
    await signer.client.submitActions([late.creation])
    world.ledger = await openLedger({ databaseUrl: world.databaseUrl, keys: randomKeys(), port })
    const ids = [...actions, late.creation].map(({ id }) => id)
    const states = await settled(signer.client, ids)
    expect([...states.values()].filter(({ state }) => state !== 'final')).toEqual([])
    await signer.stop()
  })

  test('while it waits for the ledger it ends at once by a signal', async () => {
    const place = { SIGNER_SOCKET: `${world.socket}.waiting`, LEDGER_URL: 'ws://127.0.0.1:1' }
    const waiting = launchSigner(world, place)
    await until(() => isListening(waiting))
    await endsAtOnce(waiting, ({ process }) => process.kill('SIGTERM'))
  })

  test('it answers nobody without its token on TCP, and each capability has a cap of its own', async () => {
    const door = { SIGNER_SOCKET: '', SIGNER_PORT: '0' }
    const token = 'a token of at least thirty-two characters'
    const signer = await openSignerHere(world, { ...door, SIGNER_TOKEN: token, SIGNER_KEYS_PER_MINUTE: '2' })
    const url = signer.address
    const [known, stranger] = [signerClient({ url, token }), signerClient({ url, token: 'another' })]
    expect(await known.health()).toEqual({ status: 'ok' })
    await expect(stranger.health()).rejects.toMatchObject({ status: 401, type: 'token_wrong' })
    const [key] = await known.makeKeys('capped 1', ['Ed25519'])
    await known.bindKeys('capped 1')
    await expect(known.makeKeys('capped 2', ['Ed25519'])).rejects.toMatchObject({ status: 429, type: 'rate_capped' })
    await expect(known.sign([{ keyRef: key?.keyRef ?? '', bytes: Buffer.from('x') }])).resolves.toHaveLength(1)
    await Promise.all([known.close(), stranger.close(), signer.stop()])
  })

  test('a missing setting is named in a sentence', async () => {
    await expect(startSigner(world, { MASTER_KEY_FILE: '' })).rejects.toThrow('Not set: MASTER_KEY_FILE.')
  })

  test('the ledger’s role may read how far the signer has seen it, and nothing else of it', async () => {
    const role = `chain_${randomHex32().slice(2, 14)}`
    await world.sql.query(`create role ${role}`)
    await initialise({ ...world, chainReader: role })
    const { rows } = await world.sql.query(
      `select relname from pg_class where relnamespace = 'signer'::regnamespace and relkind = 'r'
         and has_schema_privilege($1, 'signer', 'usage') and has_table_privilege($1, oid, 'select')`,
      [role],
    )
    expect(rows).toEqual([{ relname: 'ledger' }])
    await world.sql.query(`drop owned by ${role}; drop role ${role}`)
  })
})

/** The signer ends in one way, whatever signal it gets and whatever it waits for. */
async function endsAtOnce(waiting: RunningSigner, end: (signer: RunningSigner) => void) {
  end(waiting)
  await until(() => waiting.process.exitCode === 0).finally(() => waiting.kill())
}

function isListening({ client }: RunningSigner): Promise<boolean> {
  return client.health().then(
    ({ status }) => status === 'ledger_unavailable',
    () => false,
  )
}

function registry() {
  return calls.trustRegistry.initOrUpdate({ registryId: randomHex32(), name: 'Kenya', govFramework: 'x' })
}
