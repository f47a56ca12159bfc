import { expect, it } from 'vitest'
import { degree, pathOf, TestService } from '../credentials/loop.testing.js'
import { FORMATS, formatsOf } from '../formats/formats.js'
import { isObject, type Json, type JsonObject } from '../formats/json.js'
import { madeUpFormat } from '../formats/testing/made-up-format.js'
import { resolveAt } from '../ledger/read/at.js'
import { revocationRegistryAt } from '../ledger/read/status-list.js'
import { allServed } from '../platform/testing/all-served.js'
import { forAllTests } from '../platform/testing/for-all-tests.js'
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

async function issued(more: Record<string, Json> = {}): Promise<{ token: string; payload: JsonObject; id: string }> {
  const answer = await world().service.issue({ issuer: world().issuer, subject }, { ...asked, ...more })
  expect(answer.status).toBe(200)
  const token = String(answer.body)
  const payload = payloadOf(token)
  return { token, payload, id: String(payload.id) }
}

function payloadOf(token: string): JsonObject {
  const payload: Json = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  if (!isObject(payload)) throw new Error('no payload')
  return payload
}

async function checksOf(token: string): Promise<Record<string, unknown>> {
  const { status, body } = await world().service.call('POST', '/verify', token)
  expect(status).toBe(200)
  const checks = body.checks.map(({ check, passed, reason }: Record<string, string>) => [check, reason ?? passed])
  return { verified: body.verified, ...Object.fromEntries(checks) }
}

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
  const status = isObject(stays.payload.status) ? stays.payload.status : {}
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
  const { token, id, payload } = await issued()
  const registry = isObject(payload.status) ? payload.status.registry : undefined
  const version = await versionOf(String(registry))
  const [revoked] = await service.whileNobodyWorks(async () => {
    const asked = await service.call('POST', `${pathOf(id)}/revoke`)
    // The DID does it by itself too: this is with the signer before the update is made.
    const params = {
      registryId: registry ?? null,
      expectedVersion: version,
      accumulated: `0x${'0c'.repeat(32)}`,
      additions: [],
      removals: [900],
      witnessUpdateInfo: '0x',
    }
    const own = { did: issuer, action: 'Revocation.update_accumulator', params }
    expect(await service.call('POST', '/ledger/actions', own)).toMatchObject({ status: 200 })
    return [asked]
  })
  expect(await service.finished(revoked?.body.id)).toBe('finalized')
  expect(await versionOf(String(registry))).toBe(version + 2)
  expect(await checksOf(token)).toMatchObject({ verified: false, status: 'revoked' })
})

async function versionOf(registry: string): Promise<number> {
  const { environment } = world().service.loop
  const at = await resolveAt(environment.index, undefined, environment.clock)
  return (await revocationRegistryAt(environment.index, registry, at))?.version ?? -1
}

it('a compact token is kept and given back as it was issued', async () => {
  const { token, id } = await issued({ revocable: false, persist: true, password: 'correct horse' })
  const kept = await world().service.call('GET', `${pathOf(id)}?password=correct%20horse`)
  expect(kept).toMatchObject({ status: 200, body: { algorithm: 'made-up', credential: token } })
})

it('formats and algorithms that are in no table are refused, and what cannot be unsigned is', async () => {
  const { service, issuer } = world()
  const refused = async (more: Record<string, Json>, credential: Json = { issuer, subject }) =>
    (await service.issue(credential, more)).body
  expect(await refused({ format: 'sdjwt' })).toMatchObject({ type: 'unsupported_format' })
  expect(await refused({ algorithm: 'made-up' })).toMatchObject({ type: 'unsupported_format' })
  expect(await refused({ format: 'jwt' }, { subject })).toMatchObject({ type: 'invalid_request' })
})
