import type { Did, Hex32 } from '@accredit/chain'
import type { KnownRegistry, Society } from './actors.js'
import { someDid, someRegistry } from './questions.js'

export interface AuthorizationQuestion {
  readonly registryId: Hex32
  readonly schemaId: Hex32
  readonly did: Did
  readonly role: 'issuer' | 'verifier'
}

/** A schema of a registry that is there. */
interface Place {
  readonly registry: KnownRegistry
  readonly schemaId: Hex32
  readonly issuers: ReadonlySet<Did>
  readonly verifiers: ReadonlySet<Did>
  /** Everybody verifies it. */
  readonly isOpen: boolean
}

/** Who is in a circumstance in a place, and in which role. */
type Circumstance = (place: Place, society: Society) => Pick<AuthorizationQuestion, 'did' | 'role'>[]

const CIRCUMSTANCES: readonly Circumstance[] = [
  ({ issuers, verifiers }) => [...[...issuers].map(asIssuer), ...[...verifiers].map(asVerifier)],
  (place, society) => lentBy(place, society, (issuer) => !isBarred(place, society, issuer)),
  (place, society) => lentBy(place, society, (issuer) => isBarred(place, society, issuer)),
  ({ registry }, society) =>
    [...registry.suspended]
      .filter((did) => !isDeactivated(society, did))
      .flatMap((did) => [asIssuer(did), asVerifier(did)]),
  (_place, society) =>
    [...society.people.keys()]
      .filter((did) => isDeactivated(society, did))
      .flatMap((did) => [asIssuer(did), asVerifier(did)]),
  // Whom nothing names: a verifier may be one by the schema alone.
  (place, society) => unnamedIn(place, society).flatMap((did) => [asIssuer(did), asVerifier(did)]),
  (place, society) => (place.isOpen ? unnamedIn(place, society).map(asVerifier) : []),
]

/**
 * A question about each circumstance that the answer can rest on, and one about anybody and anything: of every kind so
 * often, however rare it is among all that could be asked.
 */
export function someAuthorizations(society: Society): AuthorizationQuestion[] {
  const { dice } = society
  const inCircumstances = CIRCUMSTANCES.flatMap((circumstance) => {
    const found = placesOf(society).flatMap((place) =>
      circumstance(place, society).map((who) => ({ registryId: place.registry.id, schemaId: place.schemaId, ...who })),
    )
    return dice.of(found) ?? []
  })
  return [...inCircumstances, anyAuthorization(society)]
}

function anyAuthorization(society: Society): AuthorizationQuestion {
  const { dice } = society
  const schemaId = (dice.chance(0.8) ? dice.of(society.schemas) : undefined) ?? dice.hex32()
  const registryId = dice.chance(0.2) ? dice.hex32() : someRegistry(society)
  return { registryId, schemaId, did: someDid(society), role: dice.chance(0.6) ? 'issuer' : 'verifier' }
}

function placesOf({ registries }: Society): Place[] {
  return [...registries.values()]
    .filter(({ isRemoved }) => !isRemoved)
    .flatMap((registry) => [...registry.schemas].map(([schemaId, listed]) => ({ registry, schemaId, ...listed })))
}

/** Delegates of listed issuers, who are not listed themselves and are kept from nothing. */
function lentBy(place: Place, society: Society, isMeant: (issuer: Did) => boolean) {
  return [...place.issuers]
    .filter(isMeant)
    .flatMap((issuer) => [...(place.registry.delegates.get(issuer) ?? [])])
    .filter((did) => !place.issuers.has(did) && !isBarred(place, society, did))
    .map(asIssuer)
}

const unnamedIn = (place: Place, { strangers }: Society): Did[] => strangers.filter((did) => !isNamed(place, did))

const asIssuer = (did: Did) => ({ did, role: 'issuer' }) as const
const asVerifier = (did: Did) => ({ did, role: 'verifier' }) as const

const isDeactivated = ({ people }: Society, did: Did): boolean => people.get(did)?.known.isDeactivated ?? false

const isBarred = ({ registry }: Place, society: Society, did: Did): boolean =>
  registry.suspended.has(did) || isDeactivated(society, did)

const isNamed = ({ registry, issuers, verifiers }: Place, did: Did): boolean =>
  issuers.has(did) || verifiers.has(did) || registry.suspended.has(did)
