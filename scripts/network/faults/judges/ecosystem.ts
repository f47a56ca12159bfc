import { Refusal } from '../../../start/refusal.js'
import { buildersOn, type Degree, type Verification } from '../../../tour/builders.js'
import { type Client, each } from '../../../tour/client.js'
import { type Answers, differenceText, firstDifference, withoutPresent } from './answers.js'

/** An ecosystem as it was made before the first fault. */
interface Made {
  dids: string[]
  issuer: string
  schema: string
  registry: string
  degree: Degree
  revoked: Degree
  /** A block at which the issuer was suspended. */
  suspendedAt: number
}

/** The same with what it shall always tell. */
export interface Ecosystem extends Made {
  answers: Answers
}

export interface Authorization {
  authorized: boolean
  reason: string
  block: number
  time: string
}

export function authorizationPath(
  { registry, schema }: Pick<Ecosystem, 'registry' | 'schema'>,
  issuer: string,
  at?: number,
): string {
  const asked = new URLSearchParams({
    did: issuer,
    schema,
    role: 'issuer',
    ...(at !== undefined && { at: String(at) }),
  })
  return `/trust-registries/${registry}/authorization?${asked}`
}

/** Makes an ecosystem whose issuer was suspended for a while and is not any more, and one of whose degrees is revoked. */
export async function makeEcosystem(client: Client): Promise<Ecosystem> {
  const make = buildersOn(client)
  const [convener, issuer, other, schema] = await Promise.all([
    make.organisation('Council of Universities'),
    make.organisation('University'),
    make.organisation('Other University'),
    make.schema(),
  ])
  const registry = await make.registry(convener, 'Degrees')
  const member = await make.accredit(registry, issuer, [schema])
  await make.accredit(registry, other, [schema])
  const [degree, revoked] = [await make.degree(issuer, schema), await make.degree(issuer, schema)]
  const { id } = await client.call<{ id: string }>('POST', `/credentials/${encodeURIComponent(revoked.id)}/revoke`)
  await client.finished(id)
  const participant = `/trust-registries/${registry}/participants/${member.id}`
  await client.settled('PATCH', participant, { status: 'suspended' })
  const { block } = await client.call<Authorization>('GET', authorizationPath({ registry, schema }, issuer))
  await client.settled('PATCH', participant, { status: 'active' })
  const dids = [convener, issuer, other]
  const made = { dids, issuer, schema, registry, degree, revoked, suspendedAt: block }
  await requireMeaning(client, made)
  return { ...made, answers: await answersOf(client, made) }
}

/** Refuses an ecosystem that does not answer, now and about its past, as it did when it was made. */
export async function checkEcosystem(client: Client, kept: Ecosystem): Promise<void> {
  const difference = firstDifference(kept.answers, await answersOf(client, kept))
  if (difference !== undefined) throw new Refusal(`The ecosystem is not as it was: ${differenceText(difference)}`)
}

/** Asks for all that no fault may change, whole. */
async function answersOf(client: Client, made: Made): Promise<Answers> {
  const { dids, issuer, schema, registry, degree, revoked, suspendedAt } = made
  const get = (path: string) => client.call<unknown>('GET', path)
  const documents = await each(dids, dids.length, async (did) => [`document of ${did}`, await get(`/dids/${did}`)])
  return {
    ...Object.fromEntries(documents),
    schema: await get(`/schemas/${encodeURIComponent(schema)}`),
    registry: await get(`/trust-registries/${registry}`),
    participants: await get(`/trust-registries/${registry}/participants`),
    history: await eventsOfDids(client, registry),
    'authorization now': withoutPresent(await get(authorizationPath(made, issuer))),
    'authorization while suspended': await get(authorizationPath(made, issuer, suspendedAt)),
    'degree now': withoutPresent(await verify(client, made, degree)),
    'degree while its issuer was suspended': await verify(client, made, degree, suspendedAt),
    'revoked degree now': withoutPresent(await verify(client, made, revoked)),
  }
}

interface History {
  list: { actor: string }[]
  next: string | null
}

/** Returns the whole history of a registry, without the events of a migration, which no DID brings. */
async function eventsOfDids(client: Client, registry: string): Promise<unknown[]> {
  const events: unknown[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const asked = new URLSearchParams({ limit: '64', ...(cursor !== undefined && { cursor }) })
    const { list, next } = await client.call<History>('GET', `/trust-registries/${registry}/history?${asked}`)
    events.push(...list.filter(({ actor }) => actor !== 'root'))
    cursor = next ?? null
  }
  return events
}

const verify = (client: Client, { registry }: Made, data: Degree, at?: number) =>
  client.call<Verification>('POST', '/verify', {
    data,
    trustRegistryId: registry,
    ...(at !== undefined && { at }),
  })

/** Refuses an ecosystem that was not made as it was to be: what is compared later has to mean something. */
async function requireMeaning(client: Client, made: Made): Promise<void> {
  const authorization = (at?: number) => client.call<Authorization>('GET', authorizationPath(made, made.issuer, at))
  const now = await authorization()
  require(now.authorized, 'the issuer is not authorised', now)
  const then = await authorization(made.suspendedAt)
  require(!then.authorized && then.reason === 'suspended', 'the issuer was not suspended', then)
  const degree = await verify(client, made, made.degree)
  require(degree.verified, 'the degree is not verified', degree)
  const suspended = await verify(client, made, made.degree, made.suspendedAt)
  require(!suspended.verified, 'the degree was verified while its issuer was suspended', suspended)
  const revoked = await verify(client, made, made.revoked)
  require(isRevoked(revoked), 'the revoked degree is not revoked', revoked)
}

export const isRevoked = ({ verified, checks }: Verification): boolean =>
  !verified && checks.some(({ check, passed }) => check === 'status' && passed === false)

function require(isSo: boolean, what: string, seen: unknown): void {
  if (!isSo) throw new Refusal(`The ecosystem was not made: ${what}: ${JSON.stringify(seen).slice(0, 500)}`)
}
