import type { Did } from '@accredit/chain'
import type { Algorithm, Credential, CredentialFormat, SignedParts } from '../../formats/credential-format.js'
import { FORMATS } from '../../formats/formats.js'
import type { TestKey } from '../../formats/json-ld/testing.js'
import { type Life, type TestVerifier, timeOf } from '../testing.js'
import type { Line } from './lines.testing.js'

/** The changes that a forger makes to a good credential before it is signed. */
export type Wish = Partial<Omit<SignedParts, 'algorithm' | 'issuer'>> & { issuer?: string }

export interface Signer {
  did: Did
  key: TestKey
}

/** A holder of real keys, who signs with them whatever a format can write. */
export class Forge {
  readonly #format: CredentialFormat
  readonly #algorithm: Algorithm

  constructor(
    readonly verifier: TestVerifier,
    readonly line: Line,
  ) {
    const format = FORMATS.find(
      ({ name, algorithms }) => name === line.format && algorithms.some((one) => one.name === line.algorithm),
    )
    const algorithm = format?.algorithms.find(({ name }) => name === line.algorithm)
    if (format === undefined || algorithm === undefined) throw new Error(`no format writes ${line.format}`)
    this.#format = format
    this.#algorithm = algorithm
  }

  /** A DID of the ledger whose key signs with the line's algorithm. */
  did(life: Life = {}): Promise<Signer> {
    return this.verifier.did({ kind: this.#algorithm.keyKind, ...life })
  }

  /** A credential that `key` signed, by itself as good as any. */
  async signed({ did, key }: Signer, wish: Wish = {}): Promise<Credential> {
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
      verificationMethod: key.keyId,
      created: timeOf(50).toISOString(),
      ...parts,
    })
    const { messages, finish } = await draft.toSign(this.verifier.tools())
    return finish(await Promise.all(messages.map(key.sign)))
  }

  /** A good credential of an issuer of its own. */
  async good(wish: Wish = {}): Promise<Credential> {
    return this.signed(await this.did(), wish)
  }
}
