import { monitorEventLoopDelay } from 'node:perf_hooks'
import { expect, test } from 'vitest'
import type { Claims } from '../formats/credential-format.js'
import type { Json, JsonObject } from '../formats/json.js'
import { claimsOf } from '../formats/json-ld/document-claims.js'
import { testKey } from '../formats/json-ld/testing.js'
import { resolveAt } from '../ledger/read/at.js'
import type { Answered } from '../platform/testing/answered.js'
import { forAllTests } from '../platform/testing/for-all-tests.js'
import { endless, ordinary } from '../schemas/check/hostile-schemas.testing.js'
import { openSchemaChecks } from '../schemas/check/schema-checks.js'
import { remoteHost } from '../schemas/remote/remote-host.testing.js'
import { insertSchema } from '../schemas/schema.store.js'
import { type SchemaDoor, schemaCheck } from './schema.js'
import { credential, presentation, TestVerifier, timeOf } from './testing.js'

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
  for (const other of ['ShapeExpression', ['JsonSchemaValidator2018', 'JsonSchema']])
    expect(await checked({ id, type: other }, 'M.Sc.')).toMatchObject({ passed: false, reason: 'unavailable' })
  await host.close()
  // The fetched schema is kept.
  expect(await checked({ id, type }, 'M.Sc.')).toMatchObject({ passed: true })
  expect(host.asked('/degree')).toBe(1)
})

test('a schema that was fetched to verify makes room for later ones: only those that a team issues with stay', async () => {
  const host = await remoteHost()
  const id = host.put('/verified', Buffer.from(JSON.stringify(ordinary(4))))
  const { vc } = await issued(id, { id: 'did:example:a', degree: 'M.Sc.' })
  expect(schemaCheckOf(await world().verify(vc))).toMatchObject({ passed: true })
  await host.close()
  const kept = await world().scratch.db.read('system', (reader) =>
    reader.selectFrom('remote_documents').select('is_issued').where('url', '=', id).execute(),
  )
  expect(kept).toEqual([{ is_issued: false }])
})

test('a schema elsewhere of the type JsonSchema is compared with the whole credential, without its proof', async () => {
  const host = await remoteHost()
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    required: ['issuer', 'credentialSubject'],
    not: { required: ['proof'] },
    properties: { credentialSubject: { type: 'object', properties: { degree: { type: 'string' } } } },
  }
  const id = host.put('/whole', Buffer.from(JSON.stringify(schema)))
  const { key } = await world().did()
  const checked = async (degree: string | number, contexts?: string[]) => {
    const more = {
      credentialSchema: { id, type: 'JsonSchema' },
      credentialSubject: { id: 'did:example:a', degree },
      ...(contexts && { '@context': contexts }),
    }
    return schemaCheckOf(await world().verify(await credential(key, { more })))
  }
  expect(await checked('M.Sc.')).toMatchObject({ passed: true })
  expect(await checked(7)).toMatchObject({ passed: false, reason: 'schema_mismatch' })
  await host.close()
})

test('a schema that stands in a credential counts when that verifies', async () => {
  const host = await remoteHost()
  const { key } = await world().did()
  const jsonSchema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: { credentialSubject: { type: 'object', properties: { degree: { type: 'string' } } } },
  }
  const author = testKey()
  const held = (of: Json, more: JsonObject = {}) =>
    credential(author, {
      more: {
        type: ['VerifiableCredential', 'JsonSchemaCredential'],
        credentialSubject: { id: 'https://schemas.example/degree', type: 'JsonSchema', jsonSchema: of },
        ...more,
      },
    })
  const checked = async (document: JsonObject, degree: string | number) => {
    const id = host.put(`/${asked++}`, Buffer.from(JSON.stringify(document)))
    const more = {
      credentialSchema: { id, type: 'JsonSchemaCredential' },
      credentialSubject: { id: 'did:example:a', degree },
    }
    return schemaCheckOf(await world().verify(await credential(key, { more })))
  }
  let asked = 0
  const good = await held(jsonSchema)
  expect(await checked(good, 'M.Sc.')).toMatchObject({ passed: true })
  expect(await checked(good, 7)).toMatchObject({ passed: false, reason: 'schema_mismatch' })
  const changed = { ...good, credentialSubject: { id: 'urn:x', type: 'JsonSchema', jsonSchema: {} } }
  expect(await checked(changed, 'M.Sc.')).toMatchObject({ passed: false, reason: 'schema_not_trusted' })
  const over = await held(jsonSchema, { expirationDate: '2026-01-01T00:01:00Z' })
  expect(await checked(over, 'M.Sc.')).toMatchObject({ passed: false, reason: 'schema_not_trusted' })
  for (const document of [
    await held(jsonSchema, { type: ['VerifiableCredential'] }),
    await held({}),
    await held('text'),
    jsonSchema,
  ])
    expect(await checked(document, 'M.Sc.')).toMatchObject({ passed: false, reason: 'unavailable' })
  await host.close()
})

test('a schema that is its own address is read within the limits of any other', async () => {
  const { key } = await world().did()
  const checked = async (id: string, degree: string | number = 'M.Sc.') => {
    const more = {
      credentialSchema: { id, type: 'JsonSchemaValidator2018' },
      credentialSubject: { id: 'did:example:a', degree },
    }
    return schemaCheckOf(await world().verify(await credential(key, { more })))
  }
  const text = JSON.stringify(ordinary(5))
  const encoded = `data:application/json,${encodeURIComponent(text)}`
  const base64 = `data:application/schema+json;base64,${Buffer.from(text).toString('base64')}`
  for (const id of [encoded, base64]) {
    expect(await checked(id)).toMatchObject({ passed: true })
    expect(await checked(id, 7)).toMatchObject({ passed: false, reason: 'schema_mismatch' })
  }
  for (const id of [
    'data:text/plain,{}',
    'data:application/json,{}',
    'data:application/json,%7B',
    'data:application/json,%',
    'data:application/json;base64,e30=',
    `data:application/json,${encodeURIComponent(JSON.stringify({ type: 'object', not: deep(40) }))}`,
  ])
    expect(await checked(id), id.slice(0, 60)).toMatchObject({ passed: false, reason: 'unavailable' })
})

const deep = (levels: number): Json => (levels === 0 ? true : { not: deep(levels - 1) })

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

/** The check of claims by themselves. */
async function looked(claims: Claims, more: Partial<SchemaDoor> = {}) {
  const at = await resolveAt(world().ledger.index, undefined, { now: () => timeOf(100) })
  return schemaCheck({ ...world().door(), ...more }, claims, at)
}
const inItself = (schema: object) => `data:application/json,${encodeURIComponent(JSON.stringify(schema))}`

test('each of several schemas has to be satisfied, whichever it is', async () => {
  const [one, two] = [await stored(ordinary(6)), await stored({ type: 'object', required: ['grade'] })]
  for (const ids of [
    [one, two],
    [two, one],
  ]) {
    const credentialSchema = ids.map((id) => ({ id, type: 'JsonSchemaValidator2018' }))
    const checked = (credentialSubject: JsonObject) => looked(claimsOf({ credentialSchema, credentialSubject }))
    expect(await checked({ degree: 'M.Sc.', grade: 1 })).toEqual({ passed: true })
    expect(await checked({ degree: 'M.Sc.' })).toMatchObject({ passed: false, reason: 'schema_mismatch' })
  }
})

test('a credential in another form than W3C’s has no whole that a schema could be about', async () => {
  const credentialSchema = { id: inItself(ordinary(7)), type: 'JsonSchema' }
  const { document: _, ...claims } = claimsOf({ credentialSchema, credentialSubject: { degree: 'M.Sc.' } })
  expect(await looked(claims)).toMatchObject({ passed: false, reason: 'unavailable' })
})

test('a schema for which no time is left is told by its address, shortened', async () => {
  const id = inItself(ordinary(8))
  const checks = openSchemaChecks(0)
  const claims = claimsOf({ credentialSchema: { id, type: 'JsonSchemaValidator2018' }, credentialSubject: {} })
  const found = await looked(claims, { requestSchemas: checks.forRequest(world().team.team) })
  expect(found.detail).toContain(`the schema ${id.slice(0, 200)} cannot be checked`)
  await checks.close()
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
