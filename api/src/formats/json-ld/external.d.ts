// The parts we use of packages that come without types, or with others than a module sees.
declare module 'canonicalize' {
  export default function canonicalize(value: import('../json.js').Json): string | undefined
}
declare module 'jsonld' {
  interface RemoteDocument {
    contextUrl: null
    documentUrl: string
    document: unknown
    tag?: 'static'
  }
  type Json = import('../json.js').Json
  interface ExpandOptions {
    base: null
    documentLoader: (url: string) => Promise<RemoteDocument>
    safe: true
    contextResolver?: import('jsonld/lib/ContextResolver.js').default
  }
  interface CanonizeOptions extends Omit<ExpandOptions, 'safe'> {
    safe: boolean
    algorithm: 'RDFC-1.0'
    format: 'application/n-quads'
    rdfDirection?: 'i18n-datatype'
    skipExpansion?: true
  }
  const jsonld: {
    expand(input: unknown, options: ExpandOptions): Promise<Json>
    canonize(input: unknown, options: CanonizeOptions): Promise<string>
    processContext(active: unknown, local: Json, options: ExpandOptions): Promise<{ mappings: Map<string, Json> }>
  }
  export default jsonld
}

declare module 'jsonld/lib/context.js' {
  interface ActiveContext {
    mappings: Map<string, unknown>
    clone: (this: ActiveContext) => ActiveContext
    inverse: unknown
    getInverse: unknown
    protected: Record<string, unknown>
    revertToPreviousContext: (this: ActiveContext) => ActiveContext
    previousContext?: ActiveContext
    '@base'?: unknown
    '@language'?: unknown
    '@vocab'?: unknown
  }
  const context: { getInitialContext(options: { processingMode: string | undefined }): ActiveContext }
  export default context
}

declare module 'jsonld/lib/ContextResolver.js' {
  type Json = import('../json.js').Json
  type ActiveContext = ReturnType<typeof import('jsonld/lib/context.js').default.getInitialContext>
  interface Processed {
    context: ActiveContext
    events: unknown[]
  }
  interface Resolved {
    readonly document: Json
    getProcessed(active: ActiveContext): Processed | undefined
    setProcessed(active: ActiveContext, processed: Processed): void
  }
  interface Asked {
    /** The context that the other one stands in. */
    activeCtx: ActiveContext
    context: Json
    documentLoader: (url: string) => Promise<object>
    base: null
  }
  type ByTag = Map<string, Resolved | Resolved[]>
  export default class ContextResolver {
    constructor(options: { sharedCache: { get(key: string): ByTag | undefined; set(key: string, found: ByTag): void } })
    resolve(asked: Asked): Promise<Resolved[]>
  }
}

declare module '@digitalbazaar/credentials-context' {
  export const contexts: Map<string, object>
}
declare module '@digitalbazaar/citizenship-context' {
  export const contexts: Map<string, object>
}
declare module '@digitalbazaar/credentials-examples-context' {
  export const contexts: Map<string, object>
}
declare module '@digitalbazaar/data-integrity-context' {
  export const contexts: Map<string, object>
}
declare module '@digitalbazaar/odrl-context' {
  export const contexts: Map<string, object>
}
declare module '@digitalbazaar/vc-bitstring-status-list-context' {
  export const contexts: Map<string, object>
}
declare module 'did-context' {
  export const contexts: Map<string, object>
}
declare module '@digitalbazaar/vc-status-list-context' {
  export const contexts: Map<string, object>
}
declare module '@digitalbazaar/security-context' {
  export const contexts: Map<string, object>
}
declare module 'ed25519-signature-2018-context' {
  export const contexts: Map<string, object>
}
declare module 'ed25519-signature-2020-context' {
  export const contexts: Map<string, object>
}

// Only tests use these: our suites are compared with the reference implementations.
declare module '@digitalbazaar/vc' {
  interface Options {
    credential: object
    suite: object
    documentLoader: (url: string) => Promise<object>
  }
  export function issue(options: Options): Promise<unknown>
  export function verifyCredential(options: Options): Promise<{ verified: boolean; error?: { errors?: unknown[] } }>
}
declare module '@digitalbazaar/ed25519-signature-2018' {
  export class Ed25519Signature2018 {
    constructor(options?: object)
  }
}
declare module '@digitalbazaar/ed25519-signature-2020' {
  export class Ed25519Signature2020 {
    constructor(options?: object)
  }
}
declare module '@digitalbazaar/data-integrity' {
  interface Signer {
    id: string
    algorithm: string
    sign(options: { data: Uint8Array }): Promise<Uint8Array>
  }
  export class DataIntegrityProof {
    constructor(options: { cryptosuite: object; signer?: Signer; date?: string })
  }
}
declare module '@digitalbazaar/vc-bitstring-status-list' {
  interface List {
    setStatus(index: number, status: boolean): void
    getStatus(index: number): boolean
  }
  interface Options {
    credential: unknown
    suite: object
    documentLoader: (url: string) => Promise<object>
  }
  type JsonObject = import('../json.js').JsonObject
  export function createList(options: { length: number }): Promise<List>
  export function decodeList(options: { encodedList: string }): Promise<List>
  export function createCredential(options: { id: string; list: List; statusPurpose: string }): Promise<JsonObject>
  export function checkStatus(
    options: Options,
  ): Promise<{ verified: boolean; error?: Error; results?: { status: boolean }[] }>
}
declare module '@digitalbazaar/vc-status-list' {
  interface List {
    setStatus(index: number, status: boolean): void
    getStatus(index: number): boolean
  }
  interface Options {
    credential: unknown
    suite: object
    documentLoader: (url: string) => Promise<object>
    verifyStatusListCredential: boolean
  }
  type JsonObject = import('../json.js').JsonObject
  export function createList(options: { length: number }): Promise<List>
  export function decodeList(options: { encodedList: string }): Promise<List>
  export function createCredential(options: { id: string; list: List; statusPurpose: string }): Promise<JsonObject>
  export function checkStatus(options: Options): Promise<{ verified: boolean; error?: Error }>
}
declare module '@digitalbazaar/eddsa-rdfc-2022-cryptosuite' {
  export const cryptosuite: object
}
declare module '@digitalbazaar/eddsa-jcs-2022-cryptosuite' {
  export function createSignCryptosuite(): object
  export function createVerifyCryptosuite(): object
}
declare module '@spruceid/didkit-wasm-node' {
  export function generateEd25519Key(): string
  export function keyToDID(method: string, key: string): string
  export function keyToVerificationMethod(method: string, key: string): Promise<string>
  export function verifyCredential(credential: string, options: string): Promise<string>
  export function issueCredential(credential: string, options: string, key: string): Promise<string>
}
declare module 'jsonld-signatures-5' {
  interface Options {
    suite: object
    purpose: object
    documentLoader: (url: string) => Promise<object>
  }
  const jsigs: {
    verify(document: object, options: Options): Promise<{ verified: boolean; error?: { errors?: unknown[] } }>
    sign(document: object, options: Options & { compactProof: false }): Promise<unknown>
    suites: {
      Ed25519Signature2018: new () => object
      LinkedDataSignature: new (options: { type: string; verificationMethod: string }) => object
    }
    purposes: { AssertionProofPurpose: new () => object }
  }
  export default jsigs
}
