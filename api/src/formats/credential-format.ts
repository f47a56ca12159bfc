import type { HeldKind, Keyed } from '@accredit/signer/client'
import type { BbsWork } from './bbs/bbs-threads.js'
import type { Finding, Findings } from './check.js'
import type { Json, JsonObject } from './json.js'
import type { BabyJubJubWork } from './keys/baby-jubjub/baby-jubjub-threads.js'
import type { OF_CREDENTIAL, OF_SUBJECT } from './schema-types.js'

/** The kinds of keys that a DID lists, and BBDT16, whose keys no document lists. */
export type KeyKind = Exclude<HeldKind, 'VbAccumulator'>

/** Kinds of keys that verify: those of this ledger, and that of ES256, which other DIDs have. */
export type VerifyingKeyKind = KeyKind | 'P256'

/**
 * A way to write, sign and check credentials: `jsonld`, and others that requests name as `format`. It holds no keys,
 * and knows neither HTTP nor SQL: it asks `FormatTools` for what it needs of the service.
 */
export interface CredentialFormat {
  /** The `format` of an issue request. */
  readonly name: string
  /** Its algorithms; the first one is meant where a request names none. */
  readonly algorithms: readonly Algorithm[]
  /** The type of the registry in which `revocable: true` gives a credential its place. */
  registryTypeFor(algorithm: Algorithm, contexts: readonly Json[]): string
  /** The form of a credential without a signature; undefined where there is none. */
  readonly unsigned?: (parts: CredentialParts) => UnsignedCredential
  /**
   * Writes a credential up to its signature.
   * @throws FormatError for what could not be verified later
   */
  build(parts: SignedParts): Draft
  /**
   * Reads a pasted text or object; undefined: it is no credential or presentation of this format. Formats that share a
   * form, such as JSON-LD documents, are told apart by their types of proofs: the one that takes any document stands
   * first in the table.
   */
  recognise(given: string | JsonObject): Recognised | undefined
}

export interface Algorithm {
  /** The `algorithm` of an issue request. */
  readonly name: string
  /** Other names that clients in the field send for it. */
  readonly aliases?: readonly string[]
  /** The kind of the issuer's key that signs with the primitive below. */
  readonly keyKind: KeyKind
  readonly primitive: SigningPrimitive
}

/** The operations of the signer with a key that it holds: what each takes, and what it gives. */
export interface SignerPrimitives {
  /** A signature for each message. */
  sign: { takes: readonly Uint8Array[]; gives: readonly Uint8Array[] }
  /** One signature over all messages, which are field elements. */
  signMessages: { takes: readonly Uint8Array[]; gives: readonly Uint8Array[] }
  /** Tells whether the key made a MAC, or the MAC that a holder's proof is of. */
  verifyKeyed: { takes: Keyed; gives: boolean }
}

/** The primitives that make the signatures of a credential from its messages. */
export type SigningPrimitive = {
  [Name in keyof SignerPrimitives]: SignerPrimitives[Name] extends {
    takes: readonly Uint8Array[]
    gives: readonly Uint8Array[]
  }
    ? Name
    : never
}[keyof SignerPrimitives]

/** Runs a primitive with a key that the signer holds. */
export type HeldKey = <Name extends keyof SignerPrimitives>(
  primitive: Name,
  input: SignerPrimitives[Name]['takes'],
) => Promise<SignerPrimitives[Name]['gives']>

/** The content of a credential before it is signed. */
export interface CredentialParts {
  /** A URI. */
  readonly id: string
  readonly types: readonly string[]
  readonly subject: Json
  /** The issuer, with the members that the caller gave it. */
  readonly issuer: { did: string; members: JsonObject | undefined } | undefined
  /** The issuer's profile, when the DID has one. */
  readonly profile: { name: string; description: string; logo: string } | undefined
  readonly contexts: readonly Json[]
  readonly schema: NamedSchema | undefined
  /** Its status entries: none where nobody can revoke it. */
  readonly statuses: readonly JsonObject[]
  /** The contexts that define the members of `statuses`. */
  readonly statusContexts: readonly string[]
  readonly issuanceDate: string
  readonly expirationDate: string | undefined
  /** All other members, with what a format reads of them: `cnf` names the holder's key to tokens (RFC 7800). */
  readonly others: JsonObject
  /** The documents of the contexts that it names, by URL. */
  readonly extraContexts: ReadonlyMap<string, { readonly document: JsonObject; readonly isKept: boolean }>
}

/** The schema that the subject satisfies, or the whole credential: its type says which. */
export interface NamedSchema {
  readonly id: string
  readonly type: typeof OF_SUBJECT | typeof OF_CREDENTIAL
  readonly name: string | undefined
  readonly contextUrl: string | undefined
  /** A format may read from it which claims a holder can leave out, and their types. */
  readonly document: { readonly [member: string]: unknown }
}

export interface SignedParts extends CredentialParts {
  readonly algorithm: Algorithm
  /** The DID URL of the key that will sign. */
  readonly verificationMethod: string
  /** ISO 8601: when it signs. */
  readonly created: string
}

/** A credential as a caller has it: an object, or a compact token. */
export type Credential = JsonObject | string

export interface UnsignedCredential {
  readonly credential: Credential
  readonly claims: Claims
  /** URLs of contexts that were left out, since nothing is known about them. */
  readonly leftOut: readonly string[]
}

/** A credential that lacks its signature only. */
export interface Draft {
  readonly claims: Claims
  readonly leftOut: readonly string[]
  /** JSON pointers to members of the request for which the format has no place. */
  readonly unwritten?: readonly string[]
  /** @throws FormatError */
  toSign(tools: FormatTools): Promise<Signable>
}

/** The messages for the primitive of an algorithm, and the credential that its signatures make. */
export interface Signable {
  readonly messages: readonly Uint8Array[]
  /** @param signatures as the primitive answered them */
  finish(signatures: readonly Uint8Array[]): Promise<Credential>
}

/** The claims of a credential in one shape for all formats: schemas, status, trust and dates are checked on it. */
export interface Claims {
  /** A text, in a good credential. */
  readonly id: Json | undefined
  readonly issuer: string | undefined
  readonly types: readonly Json[]
  /** An object, or several. */
  readonly subject: Json | undefined
  /** The dates between which it claims to be valid. */
  readonly dates: Dates
  /** The entries of its schemas. */
  readonly schemas: readonly Json[]
  /** Its status entries. */
  readonly statuses: readonly Json[]
  /** The resources that it names with digests. */
  readonly relatedResources?: readonly Json[]
  /** The credential before it in a chain of delegation. */
  readonly previous: Json | undefined
  /** The DID URL of the key that whoever presents it has to prove; undefined: it names none. */
  readonly holderKey: string | undefined
  /** Whether a holder made it of what the issuer signed: its status entries then say what is proven of them. */
  readonly isDerived: boolean
  /** Whether claims about the subject may be hidden: schemas then demand nothing that is not shown. */
  readonly hidesClaims: boolean
  /** The whole credential without its proofs, in the form of W3C's data model; undefined: it has another form. */
  readonly document?: JsonObject
}

export interface Dates {
  readonly begins: readonly Json[]
  readonly ends: readonly Json[]
}

/** A pasted document, as the one format that reads it sees it. */
export type Recognised = Unreadable | ReadCredential | ReadPresentation

/** A document that is meant as one of these, but is malformed or beyond a limit. */
export interface Unreadable {
  readonly kind: 'credential' | 'presentation'
  readonly wrong: Finding
}

export interface ReadCredential {
  readonly kind: 'credential'
  readonly wrong?: undefined
  readonly claims: Claims
  readonly proofs: readonly Proof[]
}

export interface ReadPresentation {
  readonly kind: 'presentation'
  readonly wrong?: undefined
  /** The DID that it names as its holder; undefined: the signer is the holder. */
  readonly holder: string | undefined
  readonly dates: Dates
  readonly credentials: readonly PresentedCredential[]
  readonly proofs: readonly Proof[]
  /** True for one credential with the binding to its holder's key: it may stand in another presentation. */
  readonly isBoundCredential?: true
}

/** A credential in a presentation: a document that is recognised by itself, or what the presentation's format read. */
export type PresentedCredential =
  | { readonly kind: 'document'; readonly document: Json }
  | ReadCredential
  | DerivedCredential

/** A credential without a proof of its own: that of the presentation stands over it too. */
export interface DerivedCredential {
  readonly kind: 'derived'
  readonly wrong?: undefined
  readonly claims: Claims
  /** Its issuer's key, one of those that the presentation's proof needs. */
  readonly key: NeededKey
}

/** One proof over a credential or a presentation: its named checks, with the key that they need. */
export interface Proof {
  /** The proof as answers show it. */
  readonly shown: JsonObject
  /** The times of its making and of its end, by its own word; undefined: it need not and does not tell. */
  readonly created: Json | undefined
  readonly expires: readonly Json[]
  readonly challenge: Json | undefined
  readonly domain: Json | undefined
  /** The way to check it, and the party that can. */
  readonly checking: Checking
}

/** The way to check a proof: a finding for each check that it decides, with the keys that it names. */
export type Checking =
  | { readonly by: 'nobody'; readonly finding: Finding }
  | {
      readonly by: 'keys'
      /** A proof over the credentials of several issuers needs a key of each, beside the holder's. */
      readonly keys: NonEmpty<NeededKey>
      /** @param keys in the order of those that it needs */
      check(keys: NonEmpty<GivenKey>, tools: CheckingTools): Promise<Findings>
    }

export type NonEmpty<T> = readonly [T, ...T[]]

/** A key that a proof needs. */
export interface NeededKey {
  /** Its DID URL; one that stands in the document itself is named as the DID that it is (did:key, did:jwk). */
  readonly id: string
  readonly purpose: ProofPurpose
  readonly kind: VerifyingKeyKind
  /** `private`: only who holds the key can check the proof, so that the signer of this service is asked. */
  readonly half: 'public' | 'private'
  /** The time of its signature, where a holder made the proof later: of a derived credential. */
  readonly signedAt?: Json | undefined
}

export interface GivenKey {
  readonly publicKey: Uint8Array
  /** Asks the signer that holds the private half. @throws where only the public half was needed */
  readonly ask: HeldKey
}

export type ProofPurpose = 'assertionMethod' | 'authentication'

/** SHA-256 of a JSON-LD document's canonical form. @throws FormatError */
export type HashOf = (document: JsonObject) => Promise<Uint8Array>

/** The canonical form of a JSON-LD document, as N-Quads. @throws FormatError */
export type CanonicalOf = (document: JsonObject) => Promise<string>

/** The services that a format may use. */
export interface FormatTools {
  /** Returns a hash function for documents that name these contexts (`@context` members as they stand). */
  hashWith(contexts: readonly (Json | undefined)[]): Promise<HashOf>
  /** Returns a function that gives the canonical forms themselves, likewise. */
  canonicalWith(contexts: readonly (Json | undefined)[]): Promise<CanonicalOf>
  /** Returns random bytes, such as the salt of a claim that may be left out. */
  random(length: number): Uint8Array
  /** Work with many messages, in threads. */
  readonly bbs: BbsWork
  /** Checks of signatures that take long, in threads. */
  readonly babyJubJub: BabyJubJubWork
}

/** The services that a check may use beside. */
export interface CheckingTools extends FormatTools {
  /** Returns the public key of the accumulator that a status entry names; undefined: there is none on this ledger. */
  accumulatorKey(entry: JsonObject): Promise<Uint8Array | undefined>
}
