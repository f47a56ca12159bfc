import type { Static } from 'typebox'
import type { Credential } from '../formats/credential-format.js'
import { bareHex } from '../status/revocation-id.js'
import type { CredentialMetadata } from './credential.shape.js'
import type { CredentialRow } from './credential.store.js'

type Metadata = Static<typeof CredentialMetadata>

/** Returns the metadata of a credential. @param credential the opened copy, if asked for with the right password */
export function metadataOf(row: CredentialRow, revoked: boolean, credential: Credential | null = null): Metadata {
  const expires = row.expiration_date?.toISOString() ?? null
  return {
    id: row.id,
    issuerKey: row.issuer_key,
    issuerName: row.issuer_name,
    type: row.type,
    revocationRegistry: row.registry_id === null ? '' : bareHex(row.registry_id),
    revoked,
    createdAt: row.created.toISOString(),
    expiryDate: expires,
    expirationDate: expires,
    issuanceDate: row.issuance_date.toISOString(),
    byteSize: row.byte_size,
    persist: row.persisted,
    index: row.status_index === null ? '' : String(row.status_index),
    subjectRef: row.subject_ref,
    ...(row.subject_ref !== '' && { subjectId: row.subject_ref }),
    whitelabel: null,
    algorithm: row.algorithm,
    credential,
  }
}
