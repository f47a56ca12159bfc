import { bytesOf, calls, encodeBase58, type Hex, hexIn } from '@accredit/chain'
import { describe, expect, it } from 'vitest'
import { degree, pathOf, TestService } from '../credentials/loop.testing.js'
import { isObject, type Json, type JsonObject } from '../formats/json.js'
import {
  asCredential,
  type Membership,
  presentationOf,
  type Showing,
  updatedWitness,
} from '../formats/testing/anonymous-wallet.js'
import type { AccumulatorChange } from '../ledger/read/accumulators.js'
import { resolveAt } from '../ledger/read/at.js'
import { type RevocationRegistryState, revocationRegistryAt } from '../ledger/read/status-list.js'
import { forAllTests } from '../platform/testing/for-all-tests.js'
import { actElsewhere } from '../revocation/revocation.testing.js'
import { foretellUpdates } from '../revocation/status-updates.js'
import { keyRefOf } from '../status/accumulator/keys.js'
import { ledgerId } from '../status/bit-calls.js'
import { revocationIdOf } from '../status/revocation-id.js'

const world = forAllTests(async () => {
  const service = await TestService.open()
  const [issuer, other] = [await service.did(), await service.did()]
  for (const did of [issuer, other]) await service.issue({ issuer: did, subject: degree }, { algorithm: 'svcbbs' })
  const keys = { [issuer]: await bbsKeyOf(service, issuer), [other]: await bbsKeyOf(service, other) }
  return { service, issuer, other, keys, close: () => service.close() }
})

async function bbsKeyOf({ scratch }: TestService, did: string): Promise<Uint8Array> {
  const rows = await scratch.db.read('system', (reader) =>
    reader
      .selectFrom('did_keys')
      .select('public_key')
      .where('did', '=', did)
      .where('kind', '=', 'Bls12381G2')
      .execute(),
  )
  return bytesOf(hexIn(rows[0]?.public_key ?? '0x'))
}

interface Issued {
  credential: JsonObject
  issuer: string
  id: string
  registry: string
  index: number
}

async function issued(more: Record<string, Json> = {}, issuer = world().issuer): Promise<Issued> {
  const { service } = world()
  const request = { algorithm: 'svcbbs', revocable: true, ...more }
  const { status, body } = await service.issue({ issuer, subject: { id: 'did:example:graduate', ...degree } }, request)
  expect(status, JSON.stringify(body)).toBe(200)
  const entry = body.credentialStatus
  expect(entry).toMatchObject({ type: 'DockVBAccumulator2022', revocationCheck: 'membership' })
  expect(entry.id).toMatch(/^dock:accumulator:0x[0-9a-f]{64}$/)
  const registry = String(entry.id).replace('dock:accumulator:', '')
  return { credential: body, issuer, id: String(body.id), registry, index: Number(entry.revocationId) }
}

type Checks = Record<string, unknown>
const told = (checks: readonly Record<string, string>[]): Checks =>
  Object.fromEntries(checks.map(({ check, passed, reason }) => [check, reason ?? passed]))

async function checksOf(data: Json, question: JsonObject = {}): Promise<Checks> {
  const { status, body } = await world().service.call('POST', '/verify', { data, ...question })
  expect(status, JSON.stringify(body)).toBe(200)
  return { verified: body.verified, ...told(body.checks) }
}

async function change(id: string, action: 'revoke' | 'unrevoke' = 'revoke'): Promise<string> {
  const { status, body } = await world().service.call('POST', `${pathOf(id)}/${action}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return world().service.finished(body.id)
}

async function stateOf(registry: string): Promise<RevocationRegistryState> {
  const { environment } = world().service.loop
  const at = await resolveAt(environment.index, undefined, environment.clock)
  const state = await revocationRegistryAt(environment.index, registry, at)
  if (state === undefined) throw new Error('no registry')
  return state
}

const witnessPath = ({ registry, id }: Pick<Issued, 'registry' | 'id'>, query = '') =>
  `/revocationStatus/${registry}/${revocationIdOf(id)}/witness${query}`

/** The witness of a holder, with what it is for. */
async function membershipOf(one: Issued, query = ''): Promise<Membership & { version: number }> {
  const { status, body } = await world().service.call('GET', witnessPath(one, query))
  expect(status, JSON.stringify(body)).toBe(200)
  const { publicKey } = await stateOf(one.registry)
  return { witness: body.value, accumulated: body.accumulated, version: body.version, publicKey: publicKey ?? '' }
}

const showingOf = (one: Issued, membership?: Membership): Showing => {
  const publicKey = world().keys[one.issuer]
  return {
    credential: one.credential,
    claims: ['credentialSubject.degree'],
    ...(publicKey && { publicKey }),
    ...(membership && { membership }),
  }
}

const shown = async (one: Issued, membership?: Membership): Promise<JsonObject> =>
  presentationOf([showingOf(one, membership ?? (await membershipOf(one)))])

/** The same presentation with another status. */
function withStatus(presentation: JsonObject, changed: (status: JsonObject) => Json | undefined): JsonObject {
  const { spec } = presentation
  const { credentials } = isObject(spec) ? spec : {}
  const [first] = Array.isArray(credentials) ? credentials : []
  const { status, ...others } = isObject(first) ? first : {}
  const next = changed(isObject(status) ? status : {})
  const credential = { ...others, ...(next !== undefined && { status: next }) }
  return { ...presentation, spec: { ...(isObject(spec) ? spec : {}), credentials: [credential] } }
}

/** Something that is made by the first test that wants it. */
function once<Made>(make: () => Promise<Made>): () => Promise<Made> {
  let made: Promise<Made> | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** A credential that was revoked after the block, with the witness of then. */
const revokedOne = once(async () => {
  const one = await issued()
  const [held, before] = [await membershipOf(one), await blockNow()]
  await change(one.id)
  return { one, held, before }
})

const GOOD = { verified: true, structure: true, proof: true, status: true }

describe('a credential in an accumulator', () => {
  // The matrix has every algorithm with it.
  it('verifies, is revoked, and is taken back', async () => {
    const one = await issued()
    expect(await checksOf(one.credential)).toMatchObject(GOOD)
    expect(await change(one.id)).toBe('finalized')
    expect(await checksOf(one.credential)).toMatchObject({ verified: false, proof: true, status: 'revoked' })
    expect(await change(one.id, 'unrevoke')).toBe('finalized')
    expect(await checksOf(one.credential)).toMatchObject(GOOD)
  })

  it('answers about the past as it was', async () => {
    const { one, before } = await revokedOne()
    expect(await checksOf(one.credential, { at: before })).toMatchObject(GOOD)
    expect(await checksOf(one.credential)).toMatchObject({ status: 'revoked' })
  })

  it('verifies with the witness beside it that wallets keep, which nobody signed', async () => {
    const { credential } = await issued()
    expect(await checksOf({ ...credential, $$accum__witness$$: '{"witness":"0x00","blockNo":1}' })).toMatchObject(GOOD)
    expect(await checksOf({ ...credential, witness: '0x00' })).toMatchObject({ verified: false })
  })

  it('is refused without its status, with another index or with another registry', async () => {
    const [one, other] = [await issued(), await issued({}, world().other)]
    const { credentialStatus, ...stripped } = one.credential
    const changed = (members: JsonObject) => ({
      ...one.credential,
      credentialStatus: { ...(isObject(credentialStatus) ? credentialStatus : {}), ...members },
    })
    for (const forged of [
      stripped,
      changed({ revocationId: String(one.index ^ 1) }),
      changed({ revocationId: `0${one.index}` }),
      changed({ id: `dock:accumulator:${other.registry}` }),
    ])
      expect(await checksOf(forged)).toMatchObject({ verified: false })
  })

  it('issuing writes nothing to the ledger, and each registry has a key pair of its own', async () => {
    const [first, other] = [await issued(), await issued({}, world().other)]
    const before = await stateOf(first.registry)
    const second = await issued()
    expect(second.registry).toBe(first.registry)
    expect(await stateOf(first.registry)).toEqual(before)
    expect((await stateOf(other.registry)).publicKey).not.toBe(before.publicKey)
  })

  it('is revoked twice, and unrevoked without having been revoked, with no change and no error', async () => {
    const one = await issued()
    await change(one.id)
    const { version, accumulated } = await stateOf(one.registry)
    expect(await change(one.id)).toBe('finalized')
    const other = await issued()
    const membership = await membershipOf(other)
    expect(await change(other.id, 'unrevoke')).toBe('finalized')
    expect(await stateOf(one.registry)).toMatchObject({ version, accumulated })
    // Adding what was not removed would have brought an old value back.
    expect(await checksOf(await shown(other, membership))).toMatchObject({ verified: true })
  })
})

async function blockNow(): Promise<number> {
  const { environment } = world().service.loop
  return (await resolveAt(environment.index, undefined, environment.clock)).block
}

describe('a holder proves membership', () => {
  it('in a presentation and as a credential, and nobody learns which one it has', async () => {
    const one = await issued()
    const presentation = await shown(one)
    expect(await checksOf(presentation)).toMatchObject(GOOD)
    expect(await checksOf(asCredential(presentation))).toMatchObject(GOOD)
    expect(JSON.stringify(presentation)).not.toContain(one.id)
    expect(JSON.stringify(presentation)).not.toContain('revocationId":"')
  })

  it('of several credentials in several accumulators at once', async () => {
    const [one, two] = [await issued(), await issued({}, world().other)]
    const both = await presentationOf([
      showingOf(one, await membershipOf(one)),
      showingOf(two, await membershipOf(two)),
    ])
    expect(await checksOf(both)).toMatchObject({ verified: true })
    await change(two.id)
    expect(await checksOf(both)).toMatchObject({ verified: false })
  })

  it('with bbdt16, which its issuer checks', async () => {
    const one = await issued({ algorithm: 'bbdt16' })
    const { publicKey: _, ...showing } = showingOf(one, await membershipOf(one))
    expect(await checksOf(await presentationOf([showing]))).toMatchObject(GOOD)
  })

  it('no longer when the value has changed, but for who accepts a status of a certain age', async () => {
    const [one, goes] = [await issued(), await issued()]
    const before = await blockNow()
    const old = await shown(one)
    await change(goes.id)
    expect(await checksOf(old)).toMatchObject({ verified: false, proof: true, status: 'stale_status' })
    expect(await checksOf(old, { at: before })).toMatchObject(GOOD)
    expect(await checksOf(old, { maxStatusAgeSeconds: 3600 })).toMatchObject(GOOD)
    expect(await checksOf(old, { maxStatusAgeSeconds: 0 })).toMatchObject({ status: 'stale_status' })
    expect(await checksOf(await shown(one))).toMatchObject(GOOD)
  })

  it('with a witness that it updated itself from what is public, and a revoked one cannot', async () => {
    const [one, goes, comes] = [await issued(), await issued(), await issued()]
    await change(comes.id)
    const [held, lost] = [await membershipOf(one), await membershipOf(goes)]
    await change(goes.id)
    await change(comes.id, 'unrevoke')
    const path = `/registries/${one.registry}/updates?from=${held.version}`
    const { status, body: updates } = await world().service.call('GET', path, undefined, '')
    expect(status).toBe(200)
    expect(updates).toMatchObject([
      { version: held.version + 1, removals: [goes.index], additions: [] },
      { version: held.version + 2, removals: [], additions: [comes.index] },
    ])
    const witness = await updatedWitness(held.witness, one.index, updates)
    const { accumulated = '' } = updates.at(-1) ?? {}
    expect(await checksOf(await shown(one, { ...held, witness, accumulated }))).toMatchObject(GOOD)
    expect(witness).toBe((await membershipOf(one)).witness)
    await expect(updatedWitness(lost.witness, goes.index, updates)).rejects.toThrow()
  })
})

describe('a witness', () => {
  it('is there for every version in which the credential was not revoked, and in no other', async () => {
    const [one, other] = [await issued(), await issued()]
    const { version: first } = await membershipOf(one)
    await change(one.id)
    await change(other.id)
    await change(one.id, 'unrevoke')
    for (const [version, isMember] of [
      [first, true],
      [first + 1, false],
      [first + 2, false],
      [first + 3, true],
    ] as const) {
      const answer = await world().service.call('GET', witnessPath(one, `?version=${version}`))
      expect([version, answer.status]).toEqual([version, isMember ? 200 : 400])
      if (isMember) expect(answer.body).toMatchObject({ version })
    }
    const future = await world().service.call('GET', witnessPath(one, `?version=${first + 4}`))
    expect(future).toMatchObject({ status: 400, body: { type: 'invalid_request' } })
  })

  it('is told as of a point in time', async () => {
    const { one, held, before } = await revokedOne()
    expect((await world().service.call('GET', witnessPath(one))).status).toBe(400)
    expect(await membershipOf(one, `?at=${before}`)).toEqual(held)
  })

  it('of a revoked credential proves nothing, whatever value it is for', async () => {
    const { one, held: old } = await revokedOne()
    const { accumulated } = await stateOf(one.registry)
    const forged = await shown(one, { ...old, accumulated: accumulated ?? '' })
    expect(await checksOf(forged)).toMatchObject({ verified: false, proof: 'invalid_signature' })
    expect(await checksOf(await shown(one, old))).toMatchObject({ verified: false, status: 'stale_status' })
  })

  it('updated with what belongs to another registry proves nothing', async () => {
    const [one, gone, elsewhere] = [await issued(), await issued(), await issued({}, world().other)]
    const held = await membershipOf(one)
    await change(elsewhere.id)
    await change(gone.id)
    const updatesOf = async (registry: string) =>
      (await world().service.call('GET', `/registries/${registry}/updates`, undefined, '')).body.slice(-1)
    const witness = await updatedWitness(held.witness, one.index, await updatesOf(elsewhere.registry))
    const { accumulated } = await stateOf(one.registry)
    const presentation = await shown(one, { ...held, witness, accumulated: accumulated ?? '' })
    expect(await checksOf(presentation)).toMatchObject({ verified: false, proof: 'invalid_signature' })
  })
})

describe('a registry', () => {
  it('takes changes of many at once as one after the other would have been, in fewer updates', async () => {
    const { service } = world()
    const many = [await issued(), await issued(), await issued(), await issued()]
    const [first, second, third, stays] = many
    const { version } = await stateOf(stays?.registry ?? '')
    const ask = (one: Issued | undefined, action = 'revoke') =>
      service.call('POST', `${pathOf(one?.id ?? '')}/${action}`)
    const asked = await service.whileNobodyWorks(async () => [
      await ask(first),
      await ask(second),
      await ask(first, 'unrevoke'),
      await ask(third),
      await ask(second),
    ])
    const ends = await Promise.all(asked.map(({ body }) => service.finished(body.id)))
    expect(ends).toEqual(asked.map(() => 'finalized'))
    expect((await stateOf(stays?.registry ?? '')).version).toBe(version + 1)
    const statuses = await Promise.all(many.map(async ({ credential }) => (await checksOf(credential)).status))
    expect(statuses).toEqual([true, 'revoked', 'revoked', true])
    for (const one of [first, stays]) if (one) expect(await checksOf(await shown(one))).toMatchObject(GOOD)
  })

  it('that is add-only takes nothing back', async () => {
    const { service, issuer } = world()
    const made = await service.call('POST', '/registries', {
      policy: [issuer],
      type: 'DockVBAccumulator2022',
      addOnly: true,
    })
    expect(await service.finished(made.body.id)).toBe('finalized')
    const request = { algorithm: 'svcbbs' }
    const { body } = await service.issue({ issuer, subject: degree, status: made.body.data.id }, request)
    expect(await change(body.id)).toBe('finalized')
    const back = await service.call('POST', `${pathOf(body.id)}/unrevoke`)
    expect(back).toMatchObject({ status: 400, body: { type: 'registry_add_only' } })
    expect(await checksOf(body)).toMatchObject({ status: 'revoked' })
  })

  it('makes a change again, of the value of then, that another writer of its DID was faster than', async () => {
    const { service, issuer } = world()
    const { signer } = service.loop.environment
    const [one, other, stays] = [await issued(), await issued(), await issued()]
    const { accumulated, publicKey, version } = await stateOf(one.registry)
    const keyRef = (await keyRefOf({ signer }, one.registry, publicKey)) ?? ''
    const revoked = await service.whileNobodyWorks(async () => {
      const asked = await service.call('POST', `${pathOf(one.id)}/revoke`)
      const change = { additions: [], removals: [other.index] }
      const made = await signer.accumulator.update({ keyRef, accumulated: accumulated ?? '', ...change })
      const call = calls.revocation.updateAccumulator({
        registryId: ledgerId(one.registry),
        expectedVersion: version,
        accumulated: hexIn(made.accumulated),
        ...change,
        witnessUpdateInfo: hexIn(made.witnessUpdateInfo),
      })
      // It has its place among the actions of the DID before the update of the revocation is made.
      await actElsewhere(service, issuer, call)
      return asked
    })
    expect(await service.finished(revoked.body.id)).toBe('finalized')
    expect((await stateOf(one.registry)).version).toBe(version + 2)
    for (const gone of [one, other]) {
      expect(await checksOf(gone.credential)).toMatchObject({ verified: false, status: 'revoked' })
      expect((await service.call('GET', witnessPath(gone))).status).toBe(400)
    }
    expect(await checksOf(await shown(stays))).toMatchObject(GOOD)
  })

  it('foretells updates, each of what the one before it leaves, exactly as they come', async () => {
    const { service, issuer } = world()
    const [one, two] = [await issued(), await issued()]
    const { registry } = one
    const { version } = await stateOf(registry)
    const wishOf = (action: string, { index }: Issued) => ({
      did: issuer,
      team: service.team.team,
      plan: { action, registry, indexes: [index] },
    })
    const foretold = await foretellUpdates(service.loop.environment, [
      wishOf('revoke', one),
      wishOf('revoke', two),
      wishOf('revoke', one),
      wishOf('unrevoke', one),
    ])
    for (const gone of [one, two]) await change(gone.id)
    await change(one.id, 'unrevoke')
    const { body } = await service.call('GET', `/registries/${registry}/updates?from=${version}`, undefined, '')
    const made = body.map(({ version: next, block: _, ...update }: AccumulatorChange) =>
      calls.revocation.updateAccumulator({
        registryId: ledgerId(registry),
        expectedVersion: next - 1,
        ...update,
        accumulated: hexIn(update.accumulated),
        witnessUpdateInfo: hexIn(update.witnessUpdateInfo),
      }),
    )
    expect(made).toHaveLength(3)
    const callOf = (one: (typeof foretold)[number]) =>
      'action' in one && one.action.kind === 'dispatch' ? one.action.calls[0] : one
    expect(foretold.map(callOf)).toEqual([made[0], made[1], { isDone: true, carries: 1 }, made[2]])
  })

  it('takes no value that its DID made elsewhere, with a key that is here or with one of its own', async () => {
    const { service, issuer } = world()
    const one = await issued()
    const { accumulated, version } = await stateOf(one.registry)
    const params = {
      registryId: one.registry,
      expectedVersion: version,
      accumulated: `0x${'c0'.padEnd(96, '0')}`,
      additions: [],
      removals: [1],
      witnessUpdateInfo: '0x',
    }
    const wish = { did: issuer, action: 'Revocation.update_accumulator', params }
    const harmless = {
      did: issuer,
      action: 'Revocation.set_status',
      params: { registryId: one.registry, revoke: [1], unrevoke: [] },
    }
    for (const [path, body] of [
      ['/ledger/actions', wish],
      ['/ledger/actions?dryRun=true', wish],
      ['/ledger/actions/prepare', { ...wish, keyId: 1 }],
      ['/ledger/actions', { did: issuer, actions: [harmless, wish].map(({ did: _, ...action }) => action) }],
    ] as const)
      expect(await service.call('POST', path, body), path).toMatchObject({
        status: 400,
        body: { type: 'invalid_request', message: expect.stringContaining('whose key this service keeps') },
      })
    expect(await stateOf(one.registry)).toMatchObject({ accumulated, version })
  })

  it('tells its updates to everybody, page by page, and those of a list are none', async () => {
    const { service, issuer, other } = world()
    const one = await issued({}, other)
    for (const action of ['revoke', 'unrevoke', 'revoke'] as const) await change(one.id, action)
    const { version } = await stateOf(one.registry)
    const get = (query: string, id = one.registry) =>
      service.call('GET', `/registries/${id}/updates${query}`, undefined, '')
    const all = (await get('')).body
    expect(all.map((update: { version: number }) => update.version)).toEqual(
      Array.from({ length: version }, (_, index) => index + 1),
    )
    expect((await get(`?from=1&limit=1`)).body).toEqual(all.slice(1, 2))
    expect((await get(`?from=${version}`)).body).toEqual([])
    const { body } = await service.call('POST', '/registries', { policy: [issuer] })
    await service.finished(body.id)
    expect(await get('', body.data.id)).toMatchObject({ status: 400, body: { type: 'invalid_request' } })
    expect((await get('', 'ab'.repeat(32))).status).toBe(404)
  })
})

describe('a presentation is refused', () => {
  const FAILED = { verified: false }
  /** The presentations of these tests have the value of now: no credential of their registries changes meanwhile. */
  const scene = once(async () => {
    const [one, other] = [await issued(), await issued({}, world().other)]
    const membership = { ...(await membershipOf(one)), extra: { blockNo: 7 } }
    return { one, other, membership, presentation: await shown(one, membership) }
  })

  it('with a swapped value, a changed time, check, type or registry, more members, or without its status', async () => {
    const { one, other, presentation } = await scene()
    expect(await checksOf(presentation)).toMatchObject(GOOD)
    const elsewhere = await stateOf(other.registry)
    const changes: ((status: JsonObject) => Json | undefined)[] = [
      () => undefined,
      (status) => ({ ...status, accumulated: encodeBase58(bytesOf(hexIn(elsewhere.accumulated ?? ''))) }),
      (status) => ({ ...status, accumulated: 'x' }),
      (status) => ({ ...status, extra: { blockNo: 8 } }),
      ({ extra: _, ...status }) => status,
      (status) => ({ ...status, id: `dock:accumulator:${other.registry}` }),
      (status) => ({ ...status, id: `svc:accumulator:${one.registry}` }),
      (status) => ({ ...status, id: `dock:accumulator:0x${'ab'.repeat(32)}` }),
      (status) => ({ ...status, revocationCheck: 'membership-kv' }),
      (status) => ({ ...status, revocationCheck: 'non-membership' }),
      (status) => ({ ...status, type: 'DockKBUniversalAccumulator2024' }),
      (status) => ({ ...status, revocationId: String(one.index) }),
      () => 'none',
    ]
    for (const change of changes)
      expect(await checksOf(withStatus(presentation, change)), String(change)).toMatchObject(FAILED)
  })

  it('with a value that is longer than a point, since others wait for the threads that read it', async () => {
    const { presentation } = await scene()
    const long = withStatus(presentation, (status) => ({ ...status, accumulated: 'z'.repeat(129) }))
    for (const data of [long, asCredential(long)])
      expect(await checksOf(data)).toMatchObject({ ...FAILED, structure: 'too_large' })
  })

  it('of an accumulator of another issuer', async () => {
    const { one, other } = await scene()
    const foreign = await membershipOf(other)
    expect(await checksOf(await shown(one, foreign))).toMatchObject(FAILED)
  })

  it('of an accumulator whose key is no key', async () => {
    const { one, membership, presentation } = await scene()
    const threads = world().service.loop.environment.bbsThreads
    const infinity = bytesOf(hexIn(`0x${'c0'.padEnd(192, '0')}`))
    const proofs = (key: Uint8Array) =>
      threads.of('a test').keyedProofs(presentation, [world().keys[one.issuer] ?? null], [key])
    expect(await proofs(bytesOf(hexIn(membership.publicKey)))).toEqual([null])
    for (const key of [infinity, new Uint8Array(96), new Uint8Array(95)]) expect(await proofs(key)).toBeUndefined()
  })

  it('of an accumulator whose value everything is a member of, which the ledger takes', async () => {
    const { service } = world()
    const identity: Hex = `0x${'c0'.padEnd(96, '0')}`
    const issuer = await service.did()
    await service.issue({ issuer, subject: degree }, { algorithm: 'svcbbs' })
    world().keys[issuer] = await bbsKeyOf(service, issuer)
    const one = await issued({}, issuer)
    const { witness: _witness, ...held } = await membershipOf(one)
    const call = calls.revocation.updateAccumulator({
      registryId: ledgerId(one.registry),
      expectedVersion: held.version,
      accumulated: identity,
      additions: [],
      removals: [1],
      witnessUpdateInfo: '0x',
    })
    const { id } = await actElsewhere(service, issuer, call)
    expect(await service.finished(id)).toBe('finalized')
    const presentation = await shown(one, { ...held, witness: identity, accumulated: identity })
    expect(await checksOf(presentation)).toMatchObject({ ...FAILED, status: 'invalid_accumulator' })
    expect(await checksOf(one.credential)).toMatchObject({ ...FAILED, status: 'invalid_accumulator' })
    expect(await service.call('GET', witnessPath(one))).toMatchObject({ status: 400 })
    expect(await change(one.id)).toBe('error')
  })
})
