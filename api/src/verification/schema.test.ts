import { monitorEventLoopDelay } from 'node:perf_hooks'
import { expect, test } from 'vitest'
import type { Json } from '../formats/json.js'
import { forAllTests } from '../platform/testing/for-all-tests.js'
import type { Answered } from '../platform/testing/scratch-database.js'
import { endless, ordinary } from '../schemas/check/hostile-schemas.testing.js'
import { remoteHost } from '../schemas/remote/remote-host.testing.js'
import { insertSchema } from '../schemas/schema.store.js'
import { credential, presentation, TestVerifier } from './testing.js'

const world = forAllTests(() => TestVerifier.open())

/** A schema of the service, stored without being judged, as one may be that is older than the limits. */
async function stored(document: object): Promise<string> {
  const { scratch, team, apiUrl } = world()
  const schema = { team: team.team, name: 'Degree', document: { ...document }, base: apiUrl, now: new Date() }
  const row = await scratch.db.transaction('system', (tx) => insertSchema(tx, schema))
  return row.id
}

async function issued(schema: string, credentialSubject: Json) {
  const { key } = await world().did()
  const more = {
    credentialSchema: { id: schema, type: 'JsonSchemaValidator2018' },
    credentialSubject,
  }
  return { key, vc: await credential(key, { more }) }
}

const schemaCheckOf = ({ body }: Answered) => body.checks.find(({ check }: { check: string }) => check === 'schema')

test('every subject has to satisfy the schema', async () => {
  const schema = await stored(ordinary(1))
  const subject = (id: string, degree: string | number) => ({ id: `did:example:${id}`, degree })
  const verify = async (second: string | number) => {
    const { key } = await world().did()
    const more = {
      credentialSchema: { id: schema, type: 'JsonSchemaValidator2018' },
      credentialSubject: [subject('a', 'M.Sc.'), subject('b', second)],
    }
    return schemaCheckOf(await world().verify(await credential(key, { more })))
  }
  expect(await verify('M.Sc.')).toMatchObject({ passed: true })
  expect(await verify(7)).toMatchObject({ passed: false, reason: 'schema_mismatch' })
})

test('a schema elsewhere is compared with the subject if its type is about subjects', async () => {
  const host = await remoteHost()
  const id = host.put('/degree', Buffer.from(JSON.stringify(ordinary(3))))
  const { key } = await world().did()
  const checked = async (credentialSchema: Json, degree: string | number) => {
    const more = { credentialSchema, credentialSubject: { id: 'did:example:a', degree } }
    return schemaCheckOf(await world().verify(await credential(key, { more })))
  }
  const type = 'JsonSchemaValidator2018'
  expect(await checked({ id, type }, 'M.Sc.')).toMatchObject({ passed: true })
  expect(await checked({ id, type }, 7)).toMatchObject({ passed: false, reason: 'schema_mismatch' })
  for (const other of ['JsonSchema', 'JsonSchemaCredential', ['JsonSchemaValidator2018', 'JsonSchema']])
    expect(await checked({ id, type: other }, 'M.Sc.')).toMatchObject({ passed: false, reason: 'unavailable' })
  await host.close()
  // The fetched schema is kept.
  expect(await checked({ id, type }, 'M.Sc.')).toMatchObject({ passed: true })
  expect(host.asked('/degree')).toBe(1)
})

test('a credential without a schema passes, one whose schema has no id does not', async () => {
  const { key } = await world().did()
  expect(schemaCheckOf(await world().verify(await credential(key)))).toMatchObject({ passed: null })
  const nameless = { credentialSchema: { type: 'JsonSchemaValidator2018' } }
  expect(schemaCheckOf(await world().verify(await credential(key, { more: nameless })))).toMatchObject({
    passed: false,
    reason: 'malformed',
  })
})

test('a schema of the service is compared with the subject, whatever type it is named with', async () => {
  const id = await stored(ordinary(4))
  const { key } = await world().did()
  for (const type of ['JsonSchemaValidator2018', 'JsonSchema']) {
    const checked = async (degree: string | number) => {
      const more = { credentialSchema: { id, type }, credentialSubject: { id: 'did:example:a', degree } }
      return schemaCheckOf(await world().verify(await credential(key, { more })))
    }
    expect(await checked('M.Sc.')).toMatchObject({ passed: true })
    expect(await checked(7)).toMatchObject({ passed: false, reason: 'schema_mismatch' })
  }
})

test('a schema that cannot be had is told by its address, shortened', async () => {
  const id = `https://nowhere.invalid/${'x'.repeat(200)}`
  const { vc } = await issued(id, { id: 'did:example:a' })
  expect((await world().verify(vc)).body.error).toContain(
    `the schema ${id.slice(0, 200)} is not hosted here and cannot be had`,
  )
})

test('schemas that never end cost one request its own time, and nobody else is stopped', async () => {
  const quick = await issued(await stored(ordinary(2)), { id: 'did:example:a', degree: 'M.Sc.' })
  const slow = await Promise.all(
    [1, 2, 3].map(async (n) =>
      issued(
        await stored(endless(n)),
        Array.from({ length: 5 }, () => ({ x: 'no integer' })),
      ),
    ),
  )
  const [first] = slow
  if (!first) throw new Error('three were issued')
  const delay = monitorEventLoopDelay({ resolution: 10 })
  delay.enable()
  const hostile = world().verify(
    await presentation(
      first.key,
      slow.map(({ vc }) => vc),
    ),
  )
  expect(schemaCheckOf(await world().verify(quick.vc))).toMatchObject({ passed: true })
  const answer = await hostile
  delay.disable()
  expect(answer.body).toMatchObject({ verified: false })
  for (const { checks } of answer.body.results.slice(0, slow.length))
    expect(checks).toContainEqual(expect.objectContaining({ check: 'schema', passed: false, reason: 'unavailable' }))
  // Each subject of them would hold the thread for a second.
  expect(delay.max / 1e6).toBeLessThan(1_500)
})
