import type { KeyKind } from './key.js'

export const DID_V1 = 'https://www.w3.org/ns/did/v1'
const ED25519_2020 = 'https://w3id.org/security/suites/ed25519-2020/v1'
const SECURITY = 'https://w3id.org/security#'
const DID = 'https://www.w3.org/ns/did#'
const MESSAGING = 'https://didcomm.org/messaging#'

/** Type names by kind of key: under `verificationMethod`, and the older ones under `publicKey`. */
export const METHOD_TYPES: Readonly<Record<KeyKind, readonly [newer: string, older: string]>> = {
  Ed25519: ['Ed25519VerificationKey2020', 'Ed25519VerificationKey2018'],
  X25519: ['X25519KeyAgreementKey2020', 'X25519KeyAgreementKey2019'],
  BabyJubJub: ['BJJVerificationKey2021', 'BJJVerificationKey2021'],
  Bls12381G2: ['Bls12381BBSVerificationKeyDock2023', 'Bls12381BBSVerificationKeyDock2023'],
  Secp256k1: ['EcdsaSecp256k1VerificationKey2019', 'EcdsaSecp256k1VerificationKey2019'],
  Sr25519: ['Sr25519VerificationKey2020', 'Sr25519VerificationKey2020'],
  Bls12381G2Plus2022: ['Bls12381G2VerificationKeyDock2022', 'Bls12381G2VerificationKeyDock2022'],
}

/** The terms in which keys are written, beyond those of the contexts above. */
const KEY_TERMS = {
  publicKey: { '@id': `${SECURITY}publicKey`, '@type': '@id', '@container': '@set' },
  publicKeyMultibase: { '@id': `${SECURITY}publicKeyMultibase`, '@type': `${SECURITY}multibase` },
  publicKeyBase58: `${SECURITY}publicKeyBase58`,
}
/** The term that the standard defines inside `service` only, for a service that is read by itself. */
const SERVICE_TERMS = { serviceEndpoint: { '@id': `${DID}serviceEndpoint`, '@type': '@id' } }
/** The terms in which an endpoint for messages is written. */
const ENDPOINT_TERMS = {
  uri: { '@id': `${MESSAGING}uri`, '@type': '@id' },
  accept: { '@id': `${MESSAGING}accept`, '@container': '@set' },
}
/** The type of a service whose endpoint says what it takes (DIDComm Messaging v2, "DID Document Service Endpoint"). */
export const MESSAGING_TYPE = 'DIDCommMessaging'
/** Types of services that have a name elsewhere. */
const SERVICE_TYPES: ReadonlyMap<string, string> = new Map([
  [MESSAGING_TYPE, MESSAGING + MESSAGING_TYPE],
  ['LinkedDomains', 'https://identity.foundation/.well-known/resources/did-configuration/#LinkedDomains'],
])

/** Words that mean something else in a document: those of its contexts, and the terms that it defines itself. */
const TAKEN: ReadonlySet<string> = new Set([
  ...['id', 'type', 'alsoKnownAs', 'controller', 'verificationMethod', 'service', 'proof', 'Ed25519Signature2020'],
  ...['authentication', 'assertionMethod', 'capabilityInvocation', 'capabilityDelegation', 'keyAgreement'],
  ...Object.keys({ ...KEY_TERMS, ...SERVICE_TERMS, ...ENDPOINT_TERMS }),
  ...Object.values(METHOD_TYPES).flat(),
])

/**
 * The type of a service as documents have it: a URI and a free name as they are. A name that is taken, or that software
 * finds in every object of JavaScript (`constructor`), stands there as the URI that it would mean.
 */
export function publishedServiceType(type: string): string {
  return TAKEN.has(type) || type in Object.prototype ? DID + type : type
}

/**
 * The contexts of a document with keys of some kinds and services of some published types. Listed are only those that
 * verifying software of the field has built in; every other term is defined in the document itself, so that nothing has
 * to be fetched to read it. A key stands under one id in `verificationMethod` by its newer type and in `publicKey` by
 * its older one: software that reads JSON-LD finds both types, and each generation takes the one it knows.
 */
export function documentContext(kinds: readonly KeyKind[], serviceTypes: readonly string[]) {
  const keyTypes = kinds.flatMap((kind) => METHOD_TYPES[kind]).filter((type) => type !== METHOD_TYPES.Ed25519[0])
  const names = serviceTypes.filter((type) => !type.includes(':'))
  const terms = {
    ...KEY_TERMS,
    ...Object.fromEntries(keyTypes.map((type) => [type, SECURITY + type])),
    ...(serviceTypes.length > 0 ? SERVICE_TERMS : {}),
    ...(serviceTypes.includes(MESSAGING_TYPE) ? ENDPOINT_TERMS : {}),
    ...Object.fromEntries(names.map((type) => [type, SERVICE_TYPES.get(type) ?? DID + type])),
  }
  return [DID_V1, ED25519_2020, terms]
}
