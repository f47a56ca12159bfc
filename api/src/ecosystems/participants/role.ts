export type ParticipantRole = 'issuer' | 'verifier' | 'verifier+issuer'

/** A participant that issues and verifies nothing in particular may still verify what is public. */
export function roleOf(issuerSchemas: readonly unknown[], verifierSchemas: readonly unknown[]): ParticipantRole {
  if (issuerSchemas.length === 0) return 'verifier'
  return verifierSchemas.length === 0 ? 'issuer' : 'verifier+issuer'
}
