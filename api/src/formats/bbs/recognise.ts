import { decodeBase58 } from '@accredit/chain'
import { type Finding, failed } from '../check.js'
import type { Checking, FormatTools, GivenKey, ReadCredential, Recognised } from '../credential-format.js'
import { FormatError } from '../format-error.js'
import { asArray, idOf, isObject, type Json, type JsonObject, textOf } from '../json.js'
import { wrongInCredential } from '../json-ld/canonical/credential-form.js'
import { claimsOf } from '../json-ld/document-claims.js'
import { checkLimits } from '../json-ld/limits.js'
import { readDerived } from './derived.js'
import { found, neededKey, withSchema } from './proof-findings.js'
import { countLeaves, differenceFrom, MOST_MESSAGES, type ReadSchema, readSchema } from './read-schema.js'
import { SCHEMES, type Scheme } from './schemes.js'
import { CRYPTO_VERSIONS, signedForm } from './signed-form.js'

/** The member in which wallets keep the witness of a credential beside what is signed of it. */
const WITNESS = '$$accum__witness$$'

/** Reads a credential with a proof of the family: an issuer's, or one that a holder derived of it. */
export function recogniseCredential({ [WITNESS]: _, ...document }: JsonObject): Recognised | undefined {
  const { proof } = document
  if (!isObject(proof) || asArray(document.type).includes('VerifiablePresentation')) return undefined
  const signed = SCHEMES.find(({ proofType }) => proofType === proof.type)
  if (signed !== undefined) return guarded(() => readSigned(document, proof, signed))
  const derived = SCHEMES.find(({ derivedType }) => derivedType === proof.type)
  return derived && guarded(() => readDerived(document, proof, derived))
}

function guarded(read: () => ReadCredential | Finding): Recognised {
  try {
    const found = read()
    return 'kind' in found ? found : { kind: 'credential', wrong: found }
  } catch (error) {
    if (error instanceof FormatError) return { kind: 'credential', wrong: failed(error.code, error.message) }
    throw error
  }
}

function readSigned(document: JsonObject, proof: JsonObject, scheme: Scheme): ReadCredential | Finding {
  const wrong = wrongInCredential(document)
  if (wrong !== undefined) return failed('malformed', wrong)
  checkLimits(document)
  const { proofValue, ...options } = proof
  const schema = readSchema(document.credentialSchema)
  if (typeof schema === 'string') return failed('malformed', schema)
  const signed = signedForm(document, { ...options })
  const different = differenceOf(signed, schema)
  if (different !== undefined) return different
  return {
    kind: 'credential',
    claims: withSchema(claimsOf(document), schema),
    proofs: [
      {
        shown: proof,
        created: proof.created,
        expires: asArray(proof.expires),
        challenge: proof.challenge,
        domain: proof.domain,
        checking: checkingOf(signed, { proof, proofValue, scheme }),
      },
    ],
  }
}

/** Compares all members with the schema inside: what it does not name, or names otherwise, is not signed. */
function differenceOf(signed: JsonObject, { schema }: ReadSchema): Finding | undefined {
  const { credentialSchema: _, cryptoVersion, ...members } = signed
  if (!CRYPTO_VERSIONS.includes(cryptoVersion ?? null)) return failed('malformed', 'its cryptoVersion is not known')
  if (countLeaves(schema) > MOST_MESSAGES)
    return failed('too_large', `it has more than ${MOST_MESSAGES} members and items`)
  const different = differenceFrom(schema, members, false)
  return different === undefined ? undefined : failed('unsigned_member', different)
}

interface SignedProof {
  proof: JsonObject
  proofValue: Json | undefined
  scheme: Scheme
}

function checkingOf(signed: JsonObject, { proof, proofValue, scheme }: SignedProof): Checking {
  if (proof.proofPurpose !== 'assertionMethod')
    return { by: 'nobody', finding: failed('wrong_purpose', 'proofPurpose is not assertionMethod') }
  const id = idOf(proof.verificationMethod)
  if (id === undefined) return { by: 'nobody', finding: failed('malformed', 'the proof names no verificationMethod') }
  const signature = bytesOf(proofValue, scheme.length)
  if (signature === undefined)
    return {
      by: 'nobody',
      finding: failed('invalid_signature', `proofValue is not a signature of ${scheme.length} bytes`),
    }
  return {
    by: 'keys',
    keys: [neededKey(id, scheme)],
    check: ([key], tools) => found(() => isSigned(signed, { signature, scheme, key, tools })),
  }
}

interface Question {
  signature: Uint8Array
  scheme: Scheme
  key: GivenKey
  tools: FormatTools
}

async function isSigned(signed: JsonObject, { signature, key, tools, scheme }: Question): Promise<boolean> {
  const { keyKind } = scheme.algorithm
  if (keyKind !== 'BBDT16')
    return tools.bbs.isSignature(keyKind === 'Bls12381G2' ? 'bbs' : 'bbs+', signed, signature, key.publicKey)
  return key.ask('verifyKeyed', { messages: await tools.bbs.messages(signed), mac: signature })
}

/** The bytes of a multibase text (base58btc). */
function bytesOf(value: Json | undefined, length: number): Uint8Array | undefined {
  const text = textOf(value) ?? ''
  if (!text.startsWith('z') || text.length > 2 * length) return undefined
  const bytes = decodeBase58(text.slice(1))
  return bytes?.length === length ? bytes : undefined
}
