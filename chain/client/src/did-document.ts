import { ed25519 } from '@noble/curves/ed25519'
import { encodeBase58 } from './base58.js'
import { bytesOf, type Hex, hexOf } from './bytes.js'
import { type Did, didKeyOf, MULTICODEC } from './did.js'
import { type ChainKey, type KeyKind, RELATIONSHIPS, resolveRelationships, type ServiceEntry } from './key.js'
import { isServiceType, isUri } from './uri.js'

/** The state of a DID on the ledger at one block. */
export interface DidState {
  readonly did: Did
  /** The keys in use, relationships spelled out. */
  readonly keys: readonly { readonly id: number; readonly key: ChainKey; readonly relationships: number }[]
  /** The controllers besides itself. */
  readonly controllers: readonly Did[]
  readonly services: readonly ServiceEntry[]
  /** The ISO 8601 instants of the first and the last block that changed it. */
  readonly created?: string
  readonly updated?: string
  readonly versionId?: string
  /** The next version, and the instant of its block; absent: this is the latest. */
  readonly nextVersionId?: string
  readonly nextUpdate?: string
  readonly deactivated?: boolean
}

export interface VerificationMethod {
  readonly id: string
  readonly type: string
  readonly controller: Did
  readonly publicKeyMultibase?: string
  readonly publicKeyBase58?: string
}

export interface DidService {
  readonly id: string
  readonly type: string
  readonly serviceEndpoint: string | readonly string[] | readonly MessagingEndpoint[]
}

/** The address for messages, and the formats that it accepts. */
interface MessagingEndpoint {
  readonly uri: string
  readonly accept: readonly string[]
}

/** A DID document (W3C DID Core 1.0, section 5) with the older member `publicKey`, as JSON and as JSON-LD. */
export interface DidDocument {
  readonly '@context': readonly (string | Readonly<Record<string, unknown>>)[]
  readonly id: Did
  readonly controller?: readonly Did[]
  readonly verificationMethod?: readonly VerificationMethod[]
  readonly publicKey?: readonly VerificationMethod[]
  readonly authentication?: readonly string[]
  readonly assertionMethod?: readonly string[]
  readonly capabilityInvocation?: readonly string[]
  readonly keyAgreement?: readonly string[]
  readonly service?: readonly DidService[]
}

/** DID document metadata (DID Core 1.0, section 7.1.3); instants are in UTC and whole seconds. */
export interface DidDocumentMetadata {
  readonly created?: string
  /** Absent for a DID that was never changed. */
  readonly updated?: string
  readonly versionId?: string
  readonly nextUpdate?: string
  readonly nextVersionId?: string
  readonly deactivated?: boolean
}

const DID_V1 = 'https://www.w3.org/ns/did/v1'
const ED25519_2020 = 'https://w3id.org/security/suites/ed25519-2020/v1'
const SECURITY = 'https://w3id.org/security#'
const DID = 'https://www.w3.org/ns/did#'
const MESSAGING = 'https://didcomm.org/messaging#'

/** The terms for keys, beyond those of the contexts above. */
const KEY_TERMS = {
  publicKey: { '@id': `${SECURITY}publicKey`, '@type': '@id', '@container': '@set' },
  publicKeyMultibase: { '@id': `${SECURITY}publicKeyMultibase`, '@type': `${SECURITY}multibase` },
  publicKeyBase58: `${SECURITY}publicKeyBase58`,
}
/** The term that the standard defines inside `service` only, for a service that is read by itself. */
const SERVICE_TERMS = { serviceEndpoint: { '@id': `${DID}serviceEndpoint`, '@type': '@id' } }
/** The terms for an endpoint of messages. */
const ENDPOINT_TERMS = {
  uri: { '@id': `${MESSAGING}uri`, '@type': '@id' },
  accept: { '@id': `${MESSAGING}accept`, '@container': '@set' },
}
/** The types of services that are defined elsewhere. */
const SERVICE_TYPES: Readonly<Record<string, string>> = {
  DIDCommMessaging: `${MESSAGING}DIDCommMessaging`,
  LinkedDomains: 'https://identity.foundation/.well-known/resources/did-configuration/#LinkedDomains',
}

/** The type names by kind of key: under `verificationMethod`, and the older ones under `publicKey`. */
const METHOD_TYPES: Readonly<Record<KeyKind, readonly [newer: string, older: string]>> = {
  Ed25519: ['Ed25519VerificationKey2020', 'Ed25519VerificationKey2018'],
  X25519: ['X25519KeyAgreementKey2020', 'X25519KeyAgreementKey2019'],
  BabyJubJub: ['BJJVerificationKey2021', 'BJJVerificationKey2021'],
  Bls12381G2: ['Bls12381BBSVerificationKeyDock2023', 'Bls12381BBSVerificationKeyDock2023'],
  Secp256k1: ['EcdsaSecp256k1VerificationKey2019', 'EcdsaSecp256k1VerificationKey2019'],
  Sr25519: ['Sr25519VerificationKey2020', 'Sr25519VerificationKey2020'],
}

interface PublishedKey {
  readonly id: string
  readonly key: ChainKey
  readonly relationships: number
}

/** Builds the document of a DID of either method. A deactivated DID has none of its members left. */
export function didDocument(state: DidState): DidDocument {
  const { did } = state
  if (state.deactivated) return { '@context': [DID_V1], id: did }
  const keys = publishedKeys(state)
  const services = publishedServices(state)
  const having = (flag: number) => keys.filter((key) => key.relationships & flag).map((key) => key.id)
  return {
    '@context': contextOf(keys, services),
    id: did,
    controller: controllersOf(state, keys),
    verificationMethod: keys.map((key) => newerMethod(did, key)),
    publicKey: keys.map((key) => olderMethod(did, key)),
    authentication: having(RELATIONSHIPS.authentication),
    assertionMethod: having(RELATIONSHIPS.assertionMethod),
    capabilityInvocation: having(RELATIONSHIPS.capabilityInvocation),
    keyAgreement: having(RELATIONSHIPS.keyAgreement),
    ...(services.length > 0 ? { service: services } : {}),
  }
}

/**
 * The contexts are only those that verifying software of the field has built in; every other term is defined in the
 * document itself, so that nothing has to be fetched to read it. A key has one id in `verificationMethod` by its newer
 * type and in `publicKey` by its older one: software that reads JSON-LD finds both types, and each generation takes the
 * one it knows.
 */
function contextOf(keys: readonly PublishedKey[], services: readonly DidService[]): DidDocument['@context'] {
  const keyTypes = keys.flatMap(({ key }) => METHOD_TYPES[key.kind]).filter((type) => type !== METHOD_TYPES.Ed25519[0])
  const terms = {
    ...KEY_TERMS,
    ...Object.fromEntries(keyTypes.map((type) => [type, SECURITY + type])),
    ...(services.length > 0 ? SERVICE_TERMS : {}),
    ...(services.some(isMessaging) ? ENDPOINT_TERMS : {}),
    ...Object.fromEntries(services.flatMap(({ type }) => serviceTerm(type))),
  }
  return [DID_V1, ED25519_2020, terms]
}

/**
 * Returns a definition for a type that needs one: a URI, or a name that the standard has for another thing, needs none.
 */
function serviceTerm(type: string): [term: string, meaning: string][] {
  if (type.includes(':') || OF_THE_STANDARD.has(type)) return []
  return [[type, SERVICE_TYPES[type] ?? DID + encodeURIComponent(type)]]
}

/** The terms that the contexts define for good: a document that defines one again cannot be read. */
const OF_THE_STANDARD: ReadonlySet<string> = new Set([
  'id',
  'type',
  'alsoKnownAs',
  'controller',
  'verificationMethod',
  'service',
  'authentication',
  'assertionMethod',
  'capabilityInvocation',
  'capabilityDelegation',
  'keyAgreement',
  'Ed25519VerificationKey2020',
  'Ed25519Signature2020',
])

export function didDocumentMetadata(state: DidState): DidDocumentMetadata {
  const { created, updated, versionId, nextUpdate, nextVersionId, deactivated } = state
  return {
    ...(created === undefined ? {} : { created: wholeSecond(created) }),
    ...(updated === undefined || updated === created ? {} : { updated: wholeSecond(updated) }),
    ...(versionId === undefined ? {} : { versionId }),
    ...(nextUpdate === undefined ? {} : { nextUpdate: wholeSecond(nextUpdate) }),
    ...(nextVersionId === undefined ? {} : { nextVersionId }),
    ...(deactivated === undefined ? {} : { deactivated }),
  }
}

/** The standard has no fractions of seconds here. */
function wholeSecond(instant: string): string {
  return instant.replace(/\.\d+(?=Z$)/, '')
}

/** Returns the state of a did:key, which follows from the DID alone. */
export function didKeyState(did: Did): DidState | undefined {
  const key = didKeyOf(did)
  if (!key) return undefined
  return {
    did,
    keys: [{ id: 0, key, relationships: resolveRelationships(key.kind, 0) }],
    controllers: [],
    services: [],
  }
}

/** Returns the id under which a DID publishes a key; for a did:key the key's number plays no part. */
export function verificationMethodId(did: Did, keyId: number): string {
  const key = didKeyOf(did)
  return key ? `${did}#${did.slice('did:key:'.length)}` : `${did}#keys-${keyId}`
}

/** Returns the multibase (base58btc) of the multicodec public key; undefined for kinds without a multicodec. */
export function publicKeyMultibase(key: ChainKey): string | undefined {
  const prefix = MULTICODEC[key.kind]
  return prefix && `z${encodeBase58(new Uint8Array([...prefix, ...bytesOf(key.publicKey)]))}`
}

function publishedKeys(state: DidState): PublishedKey[] {
  const { did } = state
  const own = state.keys.map(({ id, key, relationships }) => ({
    id: verificationMethodId(did, id),
    key,
    relationships,
  }))
  const agreement = derivedAgreementKey(did)
  return agreement ? [...own, agreement] : own
}

/** Derives the key for messages of a did:key from the key that the DID is, where those bytes are a key at all. */
function derivedAgreementKey(did: Did): PublishedKey | undefined {
  const single = didKeyOf(did)
  const publicKey = single?.kind === 'Ed25519' ? curve25519(single.publicKey) : undefined
  if (!publicKey) return undefined
  const key: ChainKey = { kind: 'X25519', publicKey }
  return { id: `${did}#${publicKeyMultibase(key)}`, key, relationships: RELATIONSHIPS.keyAgreement }
}

function curve25519(publicKey: Hex): Hex | undefined {
  try {
    return hexOf(ed25519.utils.toMontgomery(bytesOf(publicKey)))
  } catch {
    return undefined // 32 bytes that are no point of the curve
  }
}

/** A DID with an Ed25519 key for capabilityInvocation controls itself. */
function controllersOf({ did, controllers }: DidState, keys: readonly PublishedKey[]): Did[] {
  const isOwn = keys.some(
    ({ key, relationships }) => key.kind === 'Ed25519' && relationships & RELATIONSHIPS.capabilityInvocation,
  )
  return isOwn || controllers.length === 0 ? [did, ...controllers] : [...controllers]
}

function newerMethod(controller: Did, { id, key }: PublishedKey): VerificationMethod {
  const [type] = METHOD_TYPES[key.kind]
  const multibase = publicKeyMultibase(key)
  const encoded = multibase === undefined ? {} : { publicKeyMultibase: multibase }
  return { id, type, controller, ...encoded, publicKeyBase58: publicKeyBase58(key) }
}

function olderMethod(controller: Did, { id, key }: PublishedKey): VerificationMethod {
  const [, type] = METHOD_TYPES[key.kind]
  return { id, type, controller, publicKeyBase58: publicKeyBase58(key) }
}

function publicKeyBase58(key: ChainKey): string {
  return encodeBase58(bytesOf(key.publicKey))
}

/**
 * Returns each id once, and only valid URIs: older ledgers (spec version 3) may hold an id in two spellings, and texts
 * that no document can hold.
 */
function publishedServices({ did, services }: DidState): DidService[] {
  const sound = services.filter(
    ({ id, type, endpoints }) => isUri(serviceId(did, id)) && isServiceType(type) && endpoints.every(isUri),
  )
  const all = sound.map((service) => didService(did, service))
  return all.filter(({ id }, index) => all.findIndex((other) => other.id === id) === index)
}

function didService(did: Did, { id, type, endpoints }: ServiceEntry): DidService {
  const named = { id: serviceId(did, id), type }
  if (isMessaging(named))
    return { ...named, serviceEndpoint: endpoints.map((uri) => ({ uri, accept: ['didcomm/v2'] })) }
  const [first] = endpoints
  return { ...named, serviceEndpoint: endpoints.length === 1 && first !== undefined ? first : endpoints }
}

/** An endpoint of this type tells its formats (DIDComm Messaging v2, section "DID Document Service Endpoint"). */
const isMessaging = ({ type }: { type: string }): boolean => type === 'DIDCommMessaging'

/** Returns the one absolute form of the id under which the ledger has a service, in any spelling. */
function serviceId(did: Did, id: string): string {
  return `${did}#${id.startsWith(`${did}#`) ? id.slice(did.length + 1) : id.replace(/^#/, '')}`
}
