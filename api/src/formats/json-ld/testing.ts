import { generateKeyPairSync, sign } from 'node:crypto'
import { encodeBase58 } from '@accredit/chain'
import { type Findings, failed, worstOf } from '../check.js'
import type { CheckingTools } from '../credential-format.js'
import type { Json, JsonObject } from '../json.js'
import { hashHere } from './canonical/canonize.js'
import { contextFor } from './contexts/credential-context.js'
import { NO_EXTRA_CONTEXTS } from './contexts/document-loader.js'
import { type DataModel, FIRST_CONTEXT } from './data-model.js'
import { addProof } from './linked-data-proof.js'
import { recogniseDocument } from './recognise-document.js'
import type { IssuingSuite } from './suites/signature-suite.js'

/** A did:key and its signature, for tests that need no signer. */
export function testKey() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const raw = new Uint8Array(publicKey.export({ format: 'der', type: 'spki' }).subarray(12))
  const multibase = `z${encodeBase58(Uint8Array.from([0xed, 0x01, ...raw]))}`
  const did = `did:key:${multibase}`
  return {
    did,
    multibase,
    publicKey: raw,
    keyId: `${did}#${multibase}`,
    sign: async (bytes: Uint8Array) => new Uint8Array(sign(null, bytes, privateKey)),
  }
}

export type TestKey = ReturnType<typeof testKey>

/** An unsigned credential in W3C's names; `more` replaces members. */
export const unsignedCredential = (issuer: Json, more: JsonObject = {}): JsonObject => ({
  id: 'https://issuer.example/credentials/1',
  type: ['VerifiableCredential', 'UniversityDegreeCredential'],
  issuer,
  issuanceDate: '2026-01-01T00:00:00Z',
  credentialSubject: { id: 'did:example:graduate', degree: 'M.Sc. Physics', graduate: 'Łucja Öztürk', year: 2026 },
  ...more,
})

/** The same in the words of data model 2.0. */
export function unsignedCredential2(issuer: Json, more: JsonObject = {}): JsonObject {
  const { issuanceDate: validFrom = null, ...members } = unsignedCredential(issuer)
  return { ...members, validFrom, ...more }
}

interface Signing {
  more?: JsonObject
  model?: DataModel
  contexts?: Json[]
  /** Options of the proof beside the usual ones, or in their place. */
  options?: JsonObject
  /** It does not say when it was made. */
  isTimeless?: boolean
}

/** A credential of either data model, signed by `key` as issuing would sign it. */
export function signedOf(
  key: TestKey,
  suite: IssuingSuite,
  { more, model = '2.0', contexts = [], options = {}, isTimeless }: Signing = {},
) {
  const credential = (model === '2.0' ? unsignedCredential2 : unsignedCredential)(key.did, more)
  const added = [...(suite.contexts[model] ?? [])]
  const given = [FIRST_CONTEXT[model], ...contexts]
  const { context } = contextFor({ credential, given, added, extra: NO_EXTRA_CONTEXTS })
  return addProof({
    document: { '@context': context, ...credential },
    suite,
    options: {
      ...(!isTimeless && { created: '2026-01-01T00:00:00.123Z' }),
      verificationMethod: key.keyId,
      proofPurpose: 'assertionMethod',
      ...options,
    },
    hash: hashHere(NO_EXTRA_CONTEXTS),
    sign: key.sign,
  })
}

/** A credential of data model 1.1 signed by `key`, as issuing would make it. */
export function signedCredential(
  key: TestKey,
  suite: IssuingSuite,
  more: JsonObject = {},
  created?: string,
): Promise<JsonObject> {
  return signedOf(key, suite, { more, model: '1.1', options: created === undefined ? {} : { created } })
}

const notNeeded = () => Promise.reject(new Error('no suite of this format needs it'))

/** The tools of formats without a service: they know the contexts that ship with it. */
export const toolsHere: CheckingTools = {
  accumulatorKey: async () => undefined,
  hashWith: async () => hashHere(NO_EXTRA_CONTEXTS),
  random: (length) => new Uint8Array(length),
  canonicalWith: notNeeded,
  bbs: { messages: notNeeded, isSignature: notNeeded, isSignature2020: notNeeded, keyedProofs: notNeeded },
  babyJubJub: {
    async isSignature(...asked) {
      const { isBabyJubJubSignature } = await import('../keys/baby-jubjub/library.js')
      return isBabyJubJubSignature(...asked)
    },
  },
}

/** The findings about a pasted document and all its proofs, each by the key that its id names. */
export async function findingsOf(document: JsonObject, ...keys: TestKey[]): Promise<Findings> {
  const read = recogniseDocument(document)
  if (read.wrong) return { structure: read.wrong }
  const found = read.proofs.map(async ({ checking }): Promise<Findings> => {
    if (checking.by === 'nobody') return { proof: checking.finding }
    const [needed] = checking.keys
    const key = keys.find(({ keyId }) => keyId === needed.id)
    if (key === undefined) return { proof: failed('no_key') }
    return checking.check([{ publicKey: key.publicKey, ask: notNeeded }], toolsHere)
  })
  return worstOf(await Promise.all(found))
}
