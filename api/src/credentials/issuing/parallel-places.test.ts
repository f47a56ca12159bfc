import { expect, it } from 'vitest'
import { isObject, type Json } from '../../formats/json.js'
import { CREDENTIALS_V2 } from '../../formats/json-ld/contexts/known-contexts.js'
import { forAllTests } from '../../platform/testing/for-all-tests.js'
import { mapConcurrent } from '../../verification/map-concurrent.js'
import { pathOf, TestService } from '../loop.testing.js'

/** `npm run soak -- places` issues 5,000 at once. */
const COUNT = Number(process.env.SOAK_PLACES ?? 300)
const AT_ONCE = 64

const world = forAllTests(async () => {
  const service = await TestService.open()
  return { service, issuer: await service.did(), close: () => service.close() }
})

const FORMS = [
  {},
  { algorithm: 'eddsa-rdfc-2022', context: [CREDENTIALS_V2] },
  { format: 'sdjwt' },
  { format: 'jwt' },
] as const

/** Those with a place in an accumulator are in a registry of its own kind. */
const WITH_ACCUMULATOR = [...FORMS, { algorithm: 'svcbbs' }] as const

/** The places that a change of a list tells, and one of an accumulator. */
interface Change {
  revoked?: number[]
  unrevoked?: number[]
  removals?: number[]
  additions?: number[]
}

/** The place that an issued credential names. */
function placeIn(body: Json): string {
  const claims =
    typeof body === 'string' ? JSON.parse(Buffer.from(body.split('.')[1] ?? '', 'base64url').toString()) : body
  const entry = claims.credentialStatus ?? claims.status ?? claims.vc?.credentialStatus
  const { idx, uri } = isObject(entry.status_list) ? entry.status_list : {}
  const [registry] = /[0-9a-f]{64}/.exec(String(uri ?? entry.statusListCredential ?? entry.id)) ?? []
  return `${registry}#${idx ?? entry.statusListIndex ?? entry.revocationId}`
}

it(`${COUNT} credentials of every form that are issued at once have a place each, in one registry, and no two the same`, async () => {
  const { service, issuer } = world()
  const { body } = await service.call('POST', '/registries', { policy: [issuer] })
  expect(await service.finished(body.id)).toBe('finalized')
  const places = await mapConcurrent([...Array(COUNT).keys()], AT_ONCE, async (n) => {
    const { context, ...request } = { context: undefined, ...FORMS[n % FORMS.length] }
    const credential = { issuer, subject: { n }, status: body.data.id, ...(context && { context: [...context] }) }
    const answer = await service.issue(credential, request)
    expect(answer).toMatchObject({ status: 200 })
    return placeIn(answer.body)
  })
  expect(new Set(places).size).toBe(COUNT)
  expect(new Set(places.map((place) => place.split('#')[0]))).toEqual(new Set([body.data.id]))
  const indexes = places.map((place) => Number(place.split('#')[1])).sort((a, b) => a - b)
  // Places in the order of issuing would lie together, and tell who came before whom.
  expect((indexes.at(-1) ?? 0) - (indexes[0] ?? 0)).toBeGreaterThan(2 ** 19)
})

it('a revocation, another one and their opposite at once, from four clients, end in one state that all readers see alike', async () => {
  const { service, issuer } = world()
  for (const [n, form] of WITH_ACCUMULATOR.entries()) {
    const { context, ...request } = { context: undefined, ...form }
    const id = `urn:four:${n}`
    const credential = { id, issuer, subject: { n }, ...(context && { context: [...context] }) }
    const { status, body } = await service.issue(credential, { ...request, revocable: true })
    expect(status).toBe(200)
    const actions = ['revoke', 'unrevoke', 'revoke', 'unrevoke']
    const asked = await Promise.all(actions.map((action) => service.call('POST', `${pathOf(id)}/${action}`)))
    expect(asked.map((answer) => answer.status)).toEqual([200, 200, 200, 200])
    const jobs = await Promise.all(asked.map((answer) => service.finished(answer.body.id)))
    expect(jobs).toEqual(['finalized', 'finalized', 'finalized', 'finalized'])
    const [registry, index] = placeIn(body).split('#')
    const isVerified = await service.verified(body)
    const listed = await service.call('GET', `/credentials?filter=${encodeURIComponent(id)}`)
    expect(listed.body).toMatchObject([{ id, revoked: !isVerified, index, revocationRegistry: registry }])
    const history = await service.call('GET', `/registries/${registry}/history?order=asc`)
    const told: Change[] = history.body.list.flatMap(({ after }: { after: Change | null }) => after ?? [])
    const isIn = (indexes: number[] = []): boolean => indexes.includes(Number(index))
    const own = told
      .map(({ revoked, unrevoked, removals, additions }) => [revoked ?? removals, unrevoked ?? additions] as const)
      .filter((change) => change.some(isIn))
    // The ledger names a place where it changes: there and back again, from what it was.
    expect(own.map(([gone]) => isIn(gone))).toEqual(own.map((_, at) => at % 2 === 0))
    expect(own.length % 2 === 1).toBe(!isVerified)
    // The last one to ask is heard: the state is that of one more change, and stays.
    const last = await service.call('POST', `${pathOf(id)}/${isVerified ? 'revoke' : 'unrevoke'}`)
    expect(await service.finished(last.body.id)).toBe('finalized')
    expect(await service.verified(body)).toBe(!isVerified)
  }
})
