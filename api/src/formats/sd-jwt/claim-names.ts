/**
 * Claims that say what the token is, who made it and when it ends. They always stand openly: a holder who could leave
 * them out would choose what is checked (draft-ietf-oauth-sd-jwt-vc, section 3.2.2.2; the last five are of this service).
 */
export const OPEN_CLAIMS: readonly string[] = [
  'iss',
  'nbf',
  'exp',
  'cnf',
  'vct',
  'vct#integrity',
  'status',
  'aud',
  'credentialStatus',
  'credentialSchema',
  'rootCredentialId',
  'previousCredentialId',
]

/** The same of a token that is a document of data model 2.0. */
export const OPEN_MEMBERS: readonly string[] = [
  ...OPEN_CLAIMS,
  '@context',
  'type',
  'issuer',
  'validFrom',
  'validUntil',
  'relatedResource',
]

/** The claims that are not about the subject; `sub` is its id. */
export const NOT_OF_SUBJECT: ReadonlySet<string> = new Set([...OPEN_CLAIMS, 'iat', 'jti', 'sub'])
