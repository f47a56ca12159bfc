/** The parts that tests use of a package without types: software that wallets and verifiers in the field are built on. */
declare module '@docknetwork/credential-sdk/vc' {
  type LoadedDocument = { contextUrl: null; documentUrl: string; document: object }
  type DocumentLoader = (url: string) => Promise<LoadedDocument>

  export function documentLoader(resolver: null): DocumentLoader
  export function verifyCredential(
    credential: object,
    options: { documentLoader: DocumentLoader; skipSchemaCheck: boolean },
  ): Promise<{ verified: boolean; error?: unknown }>
  export class Presentation {
    addCredentialToPresent(credential: object, options: { documentLoader: DocumentLoader }): Promise<number>
    addAttributeToReveal(place: number, names: string[]): void
    createPresentation(options: { nonce?: string; context?: string }): object
    deriveCredentials(options: { nonce?: string; context?: string }): object[]
  }
}
