/** The kinds of credentials that have a place in a registry, each as a request asks for it. */
export const FORMS = {
  statusList: {},
  statusListOfJwt: { format: 'jwt' },
  bitstring: { algorithm: 'eddsa-rdfc-2022', credential: { context: ['https://www.w3.org/ns/credentials/v2'] } },
  tokenList: { format: 'sdjwt' },
  accumulator: { algorithm: 'bbdt16' },
} as const satisfies Record<string, { credential?: object } & Record<string, unknown>>

export type Form = keyof typeof FORMS
export const ALL_FORMS: readonly Form[] = ['statusList', 'statusListOfJwt', 'bitstring', 'tokenList', 'accumulator']

/** A request to issue a revocable credential. */
export function requestFor(form: Form, id: string, issuer: string): Record<string, unknown> {
  const { credential, ...request } = { credential: {}, ...FORMS[form] }
  return {
    ...request,
    revocable: true,
    credential: { id, issuer, subject: { id: 'did:example:graduate' }, ...credential },
  }
}

/** The place that a credential names; the registry without 0x. */
export interface Place {
  registry: string
  index: number
}

export function placeIn(credential: unknown): Place {
  const claims: Claims = typeof credential === 'string' ? claimsOf(credential) : Object(credential)
  const { credentialStatus = claims.vc?.credentialStatus, status } = claims
  const uri = status?.status_list.uri ?? credentialStatus?.statusListCredential ?? credentialStatus?.id ?? ''
  const index = status?.status_list.idx ?? credentialStatus?.statusListIndex ?? credentialStatus?.revocationId
  const registry = /[0-9a-f]{64}/.exec(uri)?.[0]
  if (registry === undefined || index === undefined) throw new Error('the credential names no place')
  return { registry, index: Number(index) }
}

interface Claims {
  vc?: { credentialStatus?: Entry }
  credentialStatus?: Entry
  status?: { status_list: { idx: number; uri: string } }
}

interface Entry {
  id?: string
  statusListCredential?: string
  statusListIndex?: string
  revocationId?: string
}

export const claimsOf = (token: string): Claims & { status_list?: { bits: number; lst: string } } =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
