import type { Did, Hex32 } from '@accredit/chain'
import type { Actors, KnownRegistry } from './actors.js'
import { someDid, someRegistry } from './questions.js'

export interface AuthorizationQuestion {
  readonly registryId: Hex32
  readonly schemaId: Hex32
  readonly did: Did
  readonly role: 'issuer' | 'verifier'
}

/** A schema of a registry that exists. */
interface Place {
  readonly registry: KnownRegistry
  readonly schemaId: Hex32
  readonly issuers: ReadonlySet<Did>
  readonly verifiers: ReadonlySet<Did>
  /** Everybody may verify it. */
  readonly isOpen: boolean
}

/** Finds the DIDs that are in a circumstance in a place, and their roles. */
type Circumstance = (place: Place, actors: Actors) => Pick<AuthorizationQuestion, 'did' | 'role'>[]

const CIRCUMSTANCES: readonly Circumstance[] = [
  ({ issuers, verifiers }) => [...[...issuers].map(asIssuer), ...[...verifiers].map(asVerifier)],
  (place, actors) => lentBy(place, actors, (issuer) => !isBarred(place, actors, issuer)),
  (place, actors) => lentBy(place, actors, (issuer) => isBarred(place, actors, issuer)),
  ({ registry }, actors) =>
    [...registry.suspended]
      .filter((did) => !isDeactivated(actors, did))
      .flatMap((did) => [asIssuer(did), asVerifier(did)]),
  (_place, actors) =>
    [...actors.byDid.keys()]
      .filter((did) => isDeactivated(actors, did))
      .flatMap((did) => [asIssuer(did), asVerifier(did)]),
  // Nothing names these: a verifier may be one by the schema alone.
  (place, actors) => unnamedIn(place, actors).flatMap((did) => [asIssuer(did), asVerifier(did)]),
  (place, actors) => (place.isOpen ? unnamedIn(place, actors).map(asVerifier) : []),
]

/**
 * Makes a question about each circumstance that an answer can rest on, and one about any DID and registry: all kinds
 * are asked equally often, however rare they are among all questions.
 */
export function someAuthorizations(actors: Actors): AuthorizationQuestion[] {
  const { random } = actors
  const inCircumstances = CIRCUMSTANCES.flatMap((circumstance) => {
    const found = placesOf(actors).flatMap((place) =>
      circumstance(place, actors).map((who) => ({ registryId: place.registry.id, schemaId: place.schemaId, ...who })),
    )
    return random.of(found) ?? []
  })
  return [...inCircumstances, anyAuthorization(actors)]
}

function anyAuthorization(actors: Actors): AuthorizationQuestion {
  const { random } = actors
  const schemaId = (random.chance(0.8) ? random.of(actors.schemas) : undefined) ?? random.hex32()
  const registryId = random.chance(0.2) ? random.hex32() : someRegistry(actors)
  return { registryId, schemaId, did: someDid(actors), role: random.chance(0.6) ? 'issuer' : 'verifier' }
}

function placesOf({ registries }: Actors): Place[] {
  return [...registries.values()]
    .filter(({ isRemoved }) => !isRemoved)
    .flatMap((registry) => [...registry.schemas].map(([schemaId, listed]) => ({ registry, schemaId, ...listed })))
}

/** Finds the delegates of listed issuers that are neither listed themselves nor barred. */
function lentBy(place: Place, actors: Actors, isMeant: (issuer: Did) => boolean) {
  return [...place.issuers]
    .filter(isMeant)
    .flatMap((issuer) => [...(place.registry.delegates.get(issuer) ?? [])])
    .filter((did) => !place.issuers.has(did) && !isBarred(place, actors, did))
    .map(asIssuer)
}

const unnamedIn = (place: Place, { strangers }: Actors): Did[] => strangers.filter((did) => !isNamed(place, did))

const asIssuer = (did: Did) => ({ did, role: 'issuer' }) as const
const asVerifier = (did: Did) => ({ did, role: 'verifier' }) as const

const isDeactivated = ({ byDid }: Actors, did: Did): boolean => byDid.get(did)?.known.isDeactivated ?? false

const isBarred = ({ registry }: Place, actors: Actors, did: Did): boolean =>
  registry.suspended.has(did) || isDeactivated(actors, did)

const isNamed = ({ registry, issuers, verifiers }: Place, did: Did): boolean =>
  issuers.has(did) || verifiers.has(did) || registry.suspended.has(did)
