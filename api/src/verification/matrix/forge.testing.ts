import type { Did } from '@accredit/chain'
import type { Algorithm, Credential, CredentialFormat, SignedParts } from '../../formats/credential-format.js'
import { type Life, type TestVerifier, timeOf } from '../testing.js'
import { canBeMade, type MadeKey, type MadeKind, madeKey } from './keys.testing.js'
import { inTables, type Line } from './lines.testing.js'

/** Changes of a good credential before it is signed. */
export type Wish = Partial<Omit<SignedParts, 'algorithm' | 'issuer'>> & { issuer?: string }

export interface Signer extends Pick<MadeKey, 'sign'> {
  did: Did
  keyId: string
}

/** Tells whether a test can have the keys of a line: the others are in the signer, which alone checks what they sign. */
export const isForgeable = (line: Line): boolean => canBeMade(inTables(line).algorithm.keyKind)

/** A holder of real keys, who signs with them whatever a format can write. */
export class Forge {
  readonly #format: CredentialFormat
  readonly #algorithm: Algorithm
  readonly #kind: MadeKind

  constructor(
    readonly verifier: TestVerifier,
    readonly line: Line,
  ) {
    const { format, algorithm } = inTables(line)
    if (!canBeMade(algorithm.keyKind)) throw new Error(`no test makes keys of kind ${algorithm.keyKind}`)
    this.#format = format
    this.#algorithm = algorithm
    this.#kind = algorithm.keyKind
  }

  /** A DID of the ledger whose key signs with the line's algorithm. */
  async did(life: Omit<Life, 'kind' | 'publicKey'> = {}): Promise<Signer> {
    const { publicKey, sign } = await madeKey(this.#kind)
    const { did, key } = await this.verifier.did({ kind: this.#kind, publicKey, ...life })
    return { did, keyId: key.keyId, sign }
  }

  /** A DID whose key signs with the line's algorithm, and stands on the ledger as one of another kind. */
  async didOfOtherKind(): Promise<Signer> {
    const { publicKey, sign } = await madeKey(this.#kind)
    const { did, key } = await this.verifier.did({ kind: 'X25519', publicKey: publicKey.subarray(0, 32) })
    return { did, keyId: key.keyId, sign }
  }

  /** A key of somebody who says that it is another DID's. */
  async asIfOf({ did, keyId }: Signer): Promise<Signer> {
    const { sign } = await madeKey(this.#kind)
    return { did, keyId, sign }
  }

  /** A credential that `key` signed, by itself as good as any. */
  async signed({ did, keyId, sign }: Signer, wish: Wish = {}): Promise<Credential> {
    const { issuer = did, ...parts } = wish
    const draft = this.#format.build({
      id: 'https://issuer.example/credentials/1',
      types: ['VerifiableCredential', 'UniversityDegreeCredential'],
      subject: { id: 'did:example:graduate', degree: 'M.Sc. Physics', graduate: 'Łucja Öztürk', year: 2026 },
      issuer: { did: issuer, members: undefined },
      profile: undefined,
      contexts: [],
      schema: undefined,
      statuses: [],
      statusContexts: [],
      issuanceDate: timeOf(49).toISOString(),
      expirationDate: undefined,
      others: {},
      extraContexts: new Map(),
      algorithm: this.#algorithm,
      verificationMethod: keyId,
      created: timeOf(50).toISOString(),
      ...parts,
    })
    const { messages, finish } = await draft.toSign(this.verifier.tools())
    return finish(await sign(messages))
  }

  /** A good credential of an issuer of its own. */
  async good(wish: Wish = {}): Promise<Credential> {
    return this.signed(await this.did(), wish)
  }
}
