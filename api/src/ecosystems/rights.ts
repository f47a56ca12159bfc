import type { Hex32 } from '@accredit/chain'

/** The schemas that a DID issues and verifies in one registry. */
export interface Rights {
  readonly issuer: readonly Hex32[]
  readonly verifier: readonly Hex32[]
}

/** The rights that a caller asks for; a role that is left out stays as it is. */
export interface WantedRights {
  readonly issuer?: readonly Hex32[] | undefined
  readonly verifier?: readonly Hex32[] | undefined
}

/** One schema's change for one DID. True: present afterwards. False: absent afterwards. */
export interface SchemaChange {
  readonly schema: Hex32
  readonly issuer?: boolean
  readonly verifier?: boolean
}

/** Delegates that the ledger lets an issuer have; they end with the last schema that it issues. */
export const DELEGATES_MAX = 16

export const NO_RIGHTS: Rights = { issuer: [], verifier: [] }

export const hasRights = ({ issuer, verifier }: Rights): boolean => issuer.length + verifier.length > 0

export const union = (a: Rights, b: Rights): Rights => ({
  issuer: [...new Set([...a.issuer, ...b.issuer])],
  verifier: [...new Set([...a.verifier, ...b.verifier])],
})

/** Returns the rights after a change. */
export const rightsAfter = (present: Rights, wanted: WantedRights): Rights => ({
  issuer: wanted.issuer ?? present.issuer,
  verifier: wanted.verifier ?? present.verifier,
})

/**
 * Plans the changes by which a DID has exactly the wanted schemas. Empty when the index shows that it has them already.
 * Otherwise every wanted schema is named, also those that the index shows: it lags, and another client may be taking
 * one away. Schemas of a role that was not asked for are never named, so that assigning one schema cannot drop another.
 */
export function planRights(present: Rights, wanted: WantedRights): SchemaChange[] {
  const changes = new Map<Hex32, { issuer?: boolean; verifier?: boolean }>()
  let differs = false
  for (const role of ['issuer', 'verifier'] as const) {
    const after = wanted[role]
    if (after === undefined) continue
    const [before, keep] = [new Set(present[role]), new Set(after)]
    for (const schema of new Set([...keep, ...before])) {
      differs ||= before.has(schema) !== keep.has(schema)
      changes.set(schema, { ...changes.get(schema), [role]: keep.has(schema) })
    }
  }
  return differs ? [...changes.keys()].sort().map((schema) => ({ schema, ...changes.get(schema) })) : []
}

/**
 * Plans the changes by which a DID has the granted schemas beside its present ones. Empty when the index shows that it
 * has them all.
 */
export function planGrant(present: Rights, granted: Rights): SchemaChange[] {
  const differs = (['issuer', 'verifier'] as const).some((role) =>
    granted[role].some((schema) => !present[role].includes(schema)),
  )
  return differs ? planRights(NO_RIGHTS, granted) : []
}

export type SuspensionChange = 'suspend_issuers' | 'suspend_verifiers' | 'unsuspend_issuers' | 'unsuspend_verifiers'

/**
 * Returns the one call that sets the ledger's flag as wanted, which is one over all roles. Undefined when the DID has
 * no role that the ledger could suspend: then the service remembers it until the first right is written.
 */
export function planSuspension(suspend: boolean, rights: Rights): SuspensionChange | undefined {
  if (!suspend) return rights.issuer.length > 0 ? 'unsuspend_issuers' : 'unsuspend_verifiers'
  if (rights.issuer.length > 0) return 'suspend_issuers'
  return rights.verifier.length > 0 ? 'suspend_verifiers' : undefined
}

/** Returns rights as the audit tells them. */
export const rightsFacts = ({ issuer, verifier }: Rights): { issuerSchemas: string[]; verifierSchemas: string[] } => ({
  issuerSchemas: [...issuer],
  verifierSchemas: [...verifier],
})
