export type ParticipantRole = 'issuer' | 'verifier' | 'verifier+issuer'

/** The role of a participant that issues and verifies nothing in particular: it may still verify public schemas. */
export function roleOf(issuerSchemas: readonly unknown[], verifierSchemas: readonly unknown[]): ParticipantRole {
  if (issuerSchemas.length === 0) return 'verifier'
  return verifierSchemas.length === 0 ? 'issuer' : 'verifier+issuer'
}
