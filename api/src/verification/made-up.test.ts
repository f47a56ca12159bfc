import { calls } from '@accredit/chain'
import { expect, it } from 'vitest'
import { degree, pathOf, TestService } from '../credentials/loop.testing.js'
import { FORMATS, formatsOf } from '../formats/formats.js'
import { asArray, isObject, type Json, type JsonObject } from '../formats/json.js'
import { testKey } from '../formats/json-ld/testing.js'
import { madeUpFormat } from '../formats/testing/made-up-format.js'
import { derived, keyBound, showing } from '../formats/testing/made-up-wallet.js'
import { resolveAt } from '../ledger/read/at.js'
import { revocationRegistryAt } from '../ledger/read/status-list.js'
import { allServed } from '../platform/testing/all-served.js'
import { forAllTests } from '../platform/testing/for-all-tests.js'
import { actElsewhere } from '../revocation/revocation.testing.js'
import { ledgerId } from '../status/bit-calls.js'
import { revocationIdOf } from '../status/revocation-id.js'
import { STATUS_METHODS, statusMethodsOf } from '../status/status-methods.js'
import { madeUpMethod } from '../status/testing/made-up-method.js'

const asked = { format: 'jwt', algorithm: 'made-up', revocable: true }

/** The service with a format and a method more: a line in each table. */
const world = forAllTests(async () => {
  const service = await TestService.open(allServed, {
    formats: formatsOf([...FORMATS, madeUpFormat]),
    statusMethods: statusMethodsOf([...STATUS_METHODS, madeUpMethod]),
  })
  const issuer = await service.did(service.team.apiKey, { keyType: 'secp256k1' })
  return { service, issuer, close: () => service.close() }
})

const subject = { id: 'did:example:graduate', ...degree }

/** @param credential what it says beside its issuer and subject */
async function issued(more: Record<string, Json> = {}, credential: JsonObject = {}) {
  const answer = await world().service.issue({ issuer: world().issuer, subject, ...credential }, { ...asked, ...more })
  expect(answer).toMatchObject({ status: 200 })
  const token = String(answer.body)
  const payload = payloadOf(token)
  const [status] = asArray(payload.status)
  return { token, payload, id: String(payload.id), status: isObject(status) ? status : {} }
}

function payloadOf(token: string): JsonObject {
  const payload: Json = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  if (!isObject(payload)) throw new Error('no payload')
  return payload
}

async function checksOf(token: string, questions: JsonObject = {}): Promise<Record<string, unknown>> {
  const { status, body } = await world().service.call('POST', '/verify', { data: token, ...questions })
  expect(status).toBe(200)
  return { verified: body.verified, ...toldChecks(body.checks) }
}

const toldChecks = (checks: readonly Record<string, string>[]): Record<string, unknown> =>
  Object.fromEntries(checks.map(({ check, passed, reason }) => [check, reason ?? passed]))

async function change(id: string, action: 'revoke' | 'unrevoke'): Promise<void> {
  const { status, body } = await world().service.call('POST', `${pathOf(id)}/${action}`)
  expect(status).toBe(200)
  expect(await world().service.finished(body.id)).toBe('finalized')
}

it('a made-up format and method issue, verify, revoke, verify again, and take it back', async () => {
  const { token, id } = await issued()
  expect(await checksOf(token)).toMatchObject({ verified: true, structure: true, proof: true, status: true })
  await change(id, 'revoke')
  expect(await checksOf(token)).toMatchObject({ verified: false, proof: true, status: 'revoked' })
  await change(id, 'unrevoke')
  expect(await checksOf(token)).toMatchObject({ verified: true, status: true })
})

it('a changed claim is found by who holds the key of the issuer, and by nobody else', async () => {
  const { token, payload } = await issued({ revocable: false })
  const [name, , tags] = token.split('.')
  const withPayload = (changed: JsonObject) =>
    [name, Buffer.from(JSON.stringify(changed)).toString('base64url'), tags].join('.')
  expect(await checksOf(withPayload(payload))).toMatchObject({ verified: true })
  const better = withPayload({ ...payload, subject: { ...subject, degree: 'PhD' } })
  expect(await checksOf(better)).toMatchObject({ verified: false, proof: 'invalid_signature' })
  const stranger = 'did:key:zQ3shokFTS3brHcDQrn82RUDfCZESWL1ZdCEJwekUDPQiYBme'
  const elsewhere = { ...payload, issuer: stranger, verificationMethod: `${stranger}#${stranger.slice(8)}` }
  expect(await checksOf(withPayload(elsewhere))).toMatchObject({ verified: false, proof: 'unavailable' })
  expect(await checksOf('made-up.e30')).toMatchObject({ verified: false, structure: 'malformed' })
})

it('a member has its witness, which is stale as soon as another one goes', async () => {
  const [stays, goes] = [await issued(), await issued()]
  const { status } = stays
  const path = `/revocationStatus/${status.registry}/${revocationIdOf(stays.id)}/witness`
  const before = await world().service.call('GET', path)
  expect(before).toMatchObject({ status: 200, body: { value: status.witness } })
  await change(goes.id, 'revoke')
  expect((await world().service.call('GET', path)).body.value).not.toBe(status.witness)
  const gone = `/revocationStatus/${status.registry}/${revocationIdOf(goes.id)}/witness`
  expect(await world().service.call('GET', gone)).toMatchObject({ status: 400, body: { type: 'invalid_request' } })
  expect(await checksOf(stays.token)).toMatchObject({ verified: false, status: 'stale_witness' })
  await change(goes.id, 'unrevoke')
})

it('changes of one registry that are asked for at once are carried by one update, and all of them hold', async () => {
  const { service } = world()
  const credentials = [await issued(), await issued(), await issued()]
  const [first, second, third] = credentials.map(({ id }) => id)
  const ask = (id = '', action = 'revoke') => service.call('POST', `${pathOf(id)}/${action}`)
  const asked = await service.whileNobodyWorks(async () => [
    await ask(first),
    await ask(second),
    await ask(first, 'unrevoke'),
    await ask(third),
  ])
  const jobs = asked.map(({ body }) => String(body.id))
  expect(await Promise.all(jobs.map((id) => service.finished(id)))).toEqual(jobs.map(() => 'finalized'))
  expect(await blocksOf(jobs)).toHaveLength(1)
  expect((await Promise.all(credentials.map(({ token }) => checksOf(token)))).map(({ status }) => status)).toEqual([
    'stale_witness',
    'revoked',
    'revoked',
  ])
  for (const id of [second, third]) await change(id ?? '', 'unrevoke')
})

/** The blocks that the actions of jobs stand in. */
async function blocksOf(jobs: readonly string[]): Promise<unknown[]> {
  const rows = await world().service.scratch.db.read('system', (reader) =>
    reader
      .selectFrom('ledger_actions')
      .select('block_height')
      .distinct()
      .where('job_id', 'in', [...jobs])
      .execute(),
  )
  return rows.map(({ block_height }) => block_height)
}

it('a change that somebody else was faster than is made again of the value of then', async () => {
  const { service, issuer } = world()
  const { token, id, status } = await issued()
  const { registry } = status
  const version = await versionOf(String(registry))
  const [revoked] = await service.whileNobodyWorks(async () => {
    const asked = await service.call('POST', `${pathOf(id)}/revoke`)
    // The DID does it by itself too: this is with the signer before the update is made.
    const own = calls.revocation.updateAccumulator({
      registryId: ledgerId(String(registry)),
      expectedVersion: version,
      accumulated: `0x${'0c'.repeat(32)}`,
      additions: [],
      removals: [900],
      witnessUpdateInfo: '0x',
    })
    await actElsewhere(service, issuer, own)
    return [asked]
  })
  expect(await service.finished(revoked?.body.id)).toBe('finalized')
  expect(await versionOf(String(registry))).toBe(version + 2)
  expect(await checksOf(token)).toMatchObject({ verified: false, status: 'revoked' })
})

const versionOf = async (registry: string): Promise<number> => (await stateOf(registry))?.version ?? -1

async function stateOf(registry: string) {
  const { environment } = world().service.loop
  const at = await resolveAt(environment.index, undefined, environment.clock)
  return revocationRegistryAt(environment.index, registry, at)
}

it('a compact token is kept and given back as it was issued', async () => {
  const { token, id } = await issued({ revocable: false, persist: true, password: 'correct horse' })
  const kept = await world().service.call('GET', `${pathOf(id)}?password=correct%20horse`)
  expect(kept).toMatchObject({ status: 200, body: { algorithm: 'made-up', credential: token } })
})

it('formats and algorithms of no table are refused, and so is an unsigned compact token', async () => {
  const { service, issuer } = world()
  const refused = async (more: Record<string, Json>, credential: Json = { issuer, subject }) =>
    (await service.issue(credential, more)).body
  expect(await refused({ format: 'sdjwt', algorithm: 'made-up' })).toMatchObject({ type: 'unsupported_format' })
  expect(await refused({ algorithm: 'made-up' })).toMatchObject({ type: 'unsupported_format' })
  expect(await refused({ format: 'jwt' }, { subject })).toMatchObject({ type: 'invalid_request' })
})

const secret = { sd: 'allowed' }

/** A schema of which a holder may leave out two claims, one of them required. */
async function schemaWithSecrets(): Promise<string> {
  const properties = {
    degree: { type: 'string' },
    grade: { type: 'integer', ...secret },
    born: { type: 'string', ...secret },
  }
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    required: ['degree', 'grade'],
    properties,
  }
  const { status, body } = await world().service.call('POST', '/schemas', { name: 'Secrets', ...schema })
  expect(status).toBe(200)
  return body.data.uri
}

const secrets = { id: 'did:example:graduate', ...degree, grade: 6, born: '2001-02-03' }

it('a holder may leave out the claims that the schema marks, and cannot add any', async () => {
  const { token } = await issued({}, { subject: secrets, schema: await schemaWithSecrets() })
  const good = { verified: true, proof: true, schema: true, status: true }
  for (const names of [['grade', 'born'], ['born'], []])
    expect(await checksOf(showing(token, ...names))).toMatchObject(good)
  const told = ([salt, name]: Json[]) => Buffer.from(JSON.stringify([salt, name, 7])).toString('base64url')
  const [bare] = token.split('~')
  expect(await checksOf(`${bare}~${told(['salt', 'grade'])}`)).toMatchObject({
    verified: false,
    structure: 'malformed',
  })
  const { token: other } = await issued({}, { subject: secrets, schema: await schemaWithSecrets() })
  expect(await checksOf(`${bare}~${other.split('~')[1]}`)).toMatchObject({ verified: false, structure: 'malformed' })
})

it('a claim that may be left out has to satisfy the schema too', async () => {
  const schema = await schemaWithSecrets()
  const { body } = await world().service.issue(
    { issuer: world().issuer, subject: { ...secrets, grade: 'six' }, schema },
    asked,
  )
  expect(body).toMatchObject({ type: 'schema_mismatch' })
})

const holder = testKey()
const toHolder = { cnf: { kid: holder.keyId } }
const question = () => ({ nonce: 'n-1', aud: 'verifier.example', created: new Date().toISOString() })

it('a token for the key of a holder is presented with that key, for one question', async () => {
  const { token } = await issued({}, { subject: secrets, schema: await schemaWithSecrets(), ...toHolder })
  const shown = showing(token, 'born')
  const presented = await keyBound(shown, holder, question())
  const right = { challenge: 'n-1', domain: 'verifier.example', require: ['holder', 'holderBinding'] }
  const good = { verified: true, holder: true, holderBinding: true, challenge: true, schema: true, status: true }
  expect(await checksOf(presented, right)).toMatchObject(good)
  const wrong = { verified: false, challenge: 'wrong_challenge' }
  expect(await checksOf(presented, { ...right, challenge: 'n-2' })).toMatchObject(wrong)
  expect(await checksOf(shown, right)).toMatchObject({ verified: false, challenge: 'no_presentation' })
  const stolen = await keyBound(shown, testKey(), question())
  expect(await checksOf(stolen, right)).toMatchObject({ verified: false, holder: 'invalid_signature' })
  const more = presented.replace(shown, showing(token, 'born', 'grade'))
  expect(await checksOf(more, right)).toMatchObject({ verified: false, holder: 'invalid_signature' })
})

it('a token for the key of a holder does not verify in a presentation that this key did not sign', async () => {
  const { token, status } = await issued({}, toHolder)
  const value = (await stateOf(String(status.registry)))?.accumulated ?? ''
  const refused = { verified: false, proof: true, holder: 'holder_not_proven' }
  expect(await checksOf(derived([token], question(), value))).toMatchObject(refused)
})

it('a token that names no key cannot be presented with one', async () => {
  const { token } = await issued()
  const presented = await keyBound(token, holder, question())
  expect(await checksOf(presented)).toMatchObject({ verified: false, structure: 'malformed' })
})

/** Two credentials of two issuers, and the value that the first one is a member of. */
async function twoIssuers() {
  const { service } = world()
  const other = await service.did(service.team.apiKey, { keyType: 'secp256k1' })
  const first = await issued({}, { subject: secrets, schema: await schemaWithSecrets() })
  const second = await issued({ revocable: false }, { issuer: other })
  const value = (await stateOf(String(first.status.registry)))?.accumulated ?? ''
  return { first, second, value, tokens: [first.token, second.token] }
}

it('one proof stands over the credentials of several issuers, and says nothing of who shows them', async () => {
  const { tokens, value } = await twoIssuers()
  const shown = derived(tokens, question(), value)
  const { body } = await world().service.call('POST', '/verify', { data: shown, challenge: 'n-1' })
  expect(body).toMatchObject({ verified: true })
  const [first, second, whole] = body.results.map(({ checks }: { checks: [] }) => toldChecks(checks))
  const proven = { proof: true, issuerKey: true, holder: null, holderBinding: 'anonymous' }
  expect(first).toMatchObject({ ...proven, schema: true, status: true })
  expect(second).toMatchObject({ ...proven, status: null })
  expect(whole).toMatchObject({ proof: true, holder: null, challenge: true })
  expect(await checksOf(shown, { challenge: 'n-2' })).toMatchObject({ verified: false, challenge: 'wrong_challenge' })
  const named = derived(tokens, question(), value, { holder: holder.did })
  expect(await checksOf(named)).toMatchObject({ verified: false, holder: 'holder_not_proven' })
})

it('a derived presentation with a changed claim or issuer is refused', async () => {
  const { first, second, tokens, value } = await twoIssuers()
  const changed = (change: (payload: JsonObject) => JsonObject) => {
    const [, , text = ''] = derived(tokens, question(), value).split('.')
    const shown = JSON.parse(Buffer.from(text, 'base64url').toString())
    shown.tokens[0].payload = change(shown.tokens[0].payload)
    return `made-up.derived.${Buffer.from(JSON.stringify(shown)).toString('base64url')}`
  }
  const better = changed((payload) => ({ ...payload, types: ['Doctor'] }))
  expect(await checksOf(better)).toMatchObject({ verified: false, proof: 'invalid_signature' })
  const borrowed = changed((payload) => ({ ...payload, issuer: second.payload.issuer ?? null }))
  expect(await checksOf(borrowed)).toMatchObject({ verified: false, issuerKey: 'not_the_issuer' })
  const nobodys = changed(({ issuer: _, ...payload }) => payload)
  expect(await checksOf(nobodys)).toMatchObject({ verified: false, issuerKey: 'not_the_issuer' })
  expect(first.payload.issuer).not.toBe(second.payload.issuer)
})

it('a derived presentation goes stale with the value that it proves to be a member of', async () => {
  const { tokens, value, first } = await twoIssuers()
  const shown = derived(tokens, question(), value)
  expect(await checksOf(shown)).toMatchObject({ verified: true, status: true })
  const { id } = await issued()
  await change(id, 'revoke')
  expect(await checksOf(shown)).toMatchObject({ verified: false, status: 'stale_witness' })
  const now = (await stateOf(String(first.status.registry)))?.accumulated ?? ''
  expect(await checksOf(derived(tokens, question(), now))).toMatchObject({ verified: true, status: true })
  await change(id, 'unrevoke')
})

it('each of several status entries counts, whichever it is', async () => {
  const { service } = world()
  const elsewhere = await service.did(service.team.apiKey, { keyType: 'secp256k1' })
  const [one, other] = [await issued(), await issued({}, { issuer: elsewhere })]
  expect(other.status.registry).not.toBe(one.status.registry)
  const entries = [one.status, other.status]
  const both = await Promise.all(
    [entries, entries.toReversed()].map((credentialStatus) => issued({ revocable: false }, { credentialStatus })),
  )
  expect(both.map(({ payload }) => payload.status)).toEqual([entries, entries.toReversed()])
  const statuses = async () => (await Promise.all(both.map(({ token }) => checksOf(token)))).map(({ status }) => status)
  expect(await statuses()).toEqual([true, true])
  await change(other.id, 'revoke')
  expect(await statuses()).toEqual(['revoked', 'revoked'])
  await change(other.id, 'unrevoke')
  expect(await statuses()).toEqual([true, true])
})
