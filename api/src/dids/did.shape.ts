import type { DidDocument as Document } from '@accredit/chain'
import { type Static, Type } from 'typebox'
import { JobStarted } from '../jobs/job.shape.js'

const Did = Type.String({ description: 'A DID: did:svc:… or did:key:…' })

export const DidParams = Type.Object({
  did: Type.String({ minLength: 1, maxLength: 2000, description: 'A DID, encoded or raw' }),
})

// Clients send null or an empty text for a value that they do not know.
const text = (maxLength: number, description: string) =>
  Type.Optional(Type.Union([Type.String({ maxLength }), Type.Null()], { description }))

export const DidRequest = Type.Object({
  type: text(64, '`ledgerA` (default): registered on the ledger; `key`: a did:key, one key and no ledger'),
  did: text(256, 'Refused: the id of a DID follows from its first key. 409 when the DID exists already'),
  controller: text(256, 'A DID that controls the new one beside itself'),
  keyType: text(
    64,
    '`ed25519` (default), `bjj`, or deprecated `secp256k1` or `sr25519`; those stand beside an Ed25519 key',
  ),
  keytype: text(64, 'Another spelling of keyType, which older clients send'),
  didcommServiceUrl: text(2048, 'The address at which the DID receives messages; default: this service'),
  includeDidcommService: Type.Optional(
    Type.Union([Type.Boolean(), Type.Null()], { default: true, description: 'false: it receives no messages' }),
  ),
})

export const DidUpdate = Type.Object({
  keyType: text(
    64,
    '`ed25519`, `bjj`, `secp256k1`, `sr25519`: a new key takes the place of the present one of its kind, which is retired; the first of its kind is added',
  ),
  controller: text(
    256,
    'The DID that controls this one beside itself, instead of those before; the DID itself: nobody else',
  ),
  didcommServiceUrl: text(2048, 'The address at which the DID receives messages from now on'),
  includeDidcommService: Type.Optional(
    Type.Union([Type.Boolean(), Type.Null()], {
      description: 'false: it receives none; true: it does, here where it did not',
    }),
  ),
})

const created = { did: Did, controller: Did }

export const DidCreated = Type.Object({
  ...JobStarted.properties,
  ...created,
  data: Type.Object(
    {
      ...created,
      hexDid: Type.Optional(Type.String({ description: 'Its 32 bytes as the ledger knows it, in hexadecimal' })),
    },
    { description: 'The DID that was made or changed' },
  ),
})

export const DidChanged = Type.Object({
  ...JobStarted.properties,
  data: Type.Object(created, { description: 'The DID that was made or changed' }),
})

export const DidDeleted = Type.Object({
  ...JobStarted.properties,
  data: Type.Object(
    {
      status: Type.String({ description: 'pending: its end is on the way' }),
      deleted: Type.Boolean({ description: 'Always true' }),
    },
    { description: 'The DID that was made or changed' },
  ),
})

const TrustRegistryOfDid = Type.Object({
  id: Type.String({ description: 'The id of the registry' }),
  name: Type.String({ description: 'The name that people see' }),
  logoUrl: Type.String({ description: 'The address of the logo, or empty' }),
})
const ProfileOfDid = Type.Object({
  name: Type.String({ description: 'The name that people see' }),
  logo: Type.String({ description: 'The address of the logo, or empty' }),
  description: Type.String({ description: 'In its own words' }),
})

export const DidListItem = Type.Object({
  id: Did,
  did: Did,
  type: Type.Enum(['ledgerA', 'key'], { description: '`ledgerA`: registered on the ledger; `key`: a did:key' }),
  controller: Did,
  credentialCount: Type.String({ description: 'The number of credentials that it issued, as decimal text' }),
  updatedLast: Type.String({ format: 'date-time', description: 'The time at which it was made or changed last' }),
  profile: Type.Union([ProfileOfDid, Type.Null()], { description: 'Its name and logo, where it has them' }),
  keyId: Type.String({ description: 'The verification method that signs' }),
  jobId: Type.Union([Type.String(), Type.Null()], { description: 'The job that created it' }),
  trustRegistries: Type.Array(TrustRegistryOfDid, { description: 'Those that it convenes or takes part in' }),
})

export const DidDocumentMetadata = Type.Object({
  created: Type.Optional(Type.String({ description: 'The time of its registration' })),
  updated: Type.Optional(Type.String({ description: 'The time of its last change; absent where there was none' })),
  versionId: Type.Optional(Type.String({ description: 'The block that made this version' })),
  nextUpdate: Type.Optional(Type.String({ description: 'The time of the version after this one' })),
  nextVersionId: Type.Optional(Type.String({ description: 'The block that made it' })),
  deactivated: Type.Optional(Type.Boolean({ description: 'Whether it has ended' })),
})

const VerificationMethod = Type.Object({
  id: Type.String({ description: 'The DID URL of the key' }),
  type: Type.String({ description: 'The kind of key', examples: ['Ed25519VerificationKey2020'] }),
  controller: Did,
  publicKeyMultibase: Type.Optional(
    Type.String({ description: 'The key with its multicodec, where its kind has one' }),
  ),
  publicKeyBase58: Type.Optional(Type.String({ description: 'The same key, its bytes alone' })),
})

const keyIds = (description: string) => Type.Optional(Type.Array(Type.String(), { description }))

/** The members of a DID document (W3C DID Core 1.0). */
export const documentMembers = {
  '@context': Type.Array(Type.Union([Type.String(), Type.Object({}, { additionalProperties: true })]), {
    description: 'The contexts that software of the field has built in, and the definitions of all other terms',
  }),
  id: Did,
  controller: Type.Optional(Type.Array(Did, { description: 'Those that may change it; left out: itself' })),
  verificationMethod: Type.Optional(Type.Array(VerificationMethod, { description: 'Its public keys' })),
  publicKey: Type.Optional(
    Type.Array(VerificationMethod, {
      description: 'The same keys under the same ids, by their older types, for older software',
    }),
  ),
  authentication: keyIds('Keys that sign presentations'),
  assertionMethod: keyIds('Keys that sign credentials'),
  capabilityInvocation: keyIds('Keys that change the DID'),
  keyAgreement: keyIds('Keys for messages'),
  service: Type.Optional(
    Type.Array(
      Type.Object({
        id: Type.String({ description: 'The DID with a fragment' }),
        type: Type.String({ description: 'The kind of service', examples: ['DIDCommMessaging', 'LinkedDomains'] }),
        serviceEndpoint: Type.Unknown({
          description: 'A URI or several; of a DIDCommMessaging objects with uri and accept',
        }),
      }),
      { description: 'The address of the service' },
    ),
  ),
}

const aboutVersion = Type.Unsafe<Static<typeof DidDocumentMetadata>>({
  ...DidDocumentMetadata,
  description: 'Of the version that is shown; only with `at`',
})

/** A DID document with the older member `publicKey`; with `at` also its metadata. */
export const DidDocument = Type.Unsafe<Document & { didDocumentMetadata?: Static<typeof DidDocumentMetadata> }>(
  Type.Object({ ...documentMembers, didDocumentMetadata: Type.Optional(aboutVersion) }),
)
