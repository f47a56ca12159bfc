import { Refusal } from '../../start/refusal.js'
import { buildersOn, type Degree, type Verification } from '../../tour/builders.js'
import type { Client } from '../../tour/client.js'

/** An ecosystem as it was made before the first fault, with what it shall always tell. */
export interface Ecosystem {
  dids: string[]
  convener: string
  issuer: string
  schema: string
  registry: string
  degree: Degree
  revoked: Degree
  /** A block at which the issuer was suspended. */
  suspendedAt: number
  /** The number of events in the history of the registry, without those of a migration, which no DID brings. */
  events: number
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

interface History {
  list: { actor: string }[]
}

const eventsOfDids = ({ list }: History): number => list.filter(({ actor }) => actor !== 'root').length

const historyPath = (registry: string) => `/trust-registries/${registry}/history?limit=64`

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
  const events = eventsOfDids(await client.call<History>('GET', historyPath(registry)))
  const dids = [convener, issuer, other]
  const made = { dids, convener, issuer, schema, registry, degree, revoked, suspendedAt: block, events }
  await checkEcosystem(client, made)
  return made
}

/** Refuses an ecosystem that is not as it was made, now and in its past. */
export async function checkEcosystem(client: Client, kept: Ecosystem): Promise<void> {
  const verify = (data: Degree, at?: number) =>
    client.call<Verification>('POST', '/verify', {
      data,
      trustRegistryId: kept.registry,
      ...(at !== undefined && { at }),
    })
  const authorization = (at?: number) => client.call<Authorization>('GET', authorizationPath(kept, kept.issuer, at))
  for (const did of kept.dids) {
    const document = await client.call<{ id: string }>('GET', `/dids/${did}`)
    require(document.id === did, `DID ${did} has another document`, document)
  }
  await client.call('GET', `/schemas/${encodeURIComponent(kept.schema)}`)
  const registry = await client.call<{ convener: string }>('GET', `/trust-registries/${kept.registry}`)
  require(registry.convener === kept.convener, 'the registry has another convener', registry)
  const now = await authorization()
  require(now.authorized, 'the issuer is not authorised', now)
  const then = await authorization(kept.suspendedAt)
  require(!then.authorized && then.reason === 'suspended', 'the issuer was not suspended', then)
  const degree = await verify(kept.degree)
  require(degree.verified, 'the degree is not verified', degree)
  const suspended = await verify(kept.degree, kept.suspendedAt)
  require(!suspended.verified, 'the degree was verified while its issuer was suspended', suspended)
  const revoked = await verify(kept.revoked)
  require(isRevoked(revoked), 'the revoked degree is not revoked', revoked)
  const history = await client.call<History>('GET', historyPath(kept.registry))
  require(eventsOfDids(history) === kept.events, `the history does not have ${kept.events} events`, history)
}

export const isRevoked = ({ verified, checks }: Verification): boolean =>
  !verified && checks.some(({ check, passed }) => check === 'status' && passed === false)

function require(isSo: boolean, what: string, seen: unknown): void {
  if (!isSo) throw new Refusal(`The ecosystem is not as it was: ${what}: ${JSON.stringify(seen).slice(0, 500)}`)
}
