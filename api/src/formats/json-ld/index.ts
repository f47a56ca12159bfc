import type { CredentialFormat, CredentialParts, Draft, SignedParts, UnsignedCredential } from '../credential-format.js'
import { FormatError } from '../format-error.js'
import type { JsonObject } from '../json.js'
import { wrongInCredential } from './canonical/credential-form.js'
import { wrongInCredential2 } from './canonical/model-2-form.js'
import { buildDocument } from './credential-document.js'
import { dataModelOf } from './data-model.js'
import { claimsOf } from './document-claims.js'
import { checkLimits } from './limits.js'
import { prepareProof } from './linked-data-proof.js'
import { recogniseDocument } from './recognise-document.js'
import type { IssuingSuite } from './suites/signature-suite.js'
import { ALGORITHMS, suiteForAlgorithm } from './suites/signature-suites.js'

/**
 * Credentials as JSON-LD documents with proofs inside, of both generations of the data model.
 * https://www.w3.org/TR/vc-data-model-1.1/, https://www.w3.org/TR/vc-data-model-2.0/
 */
export const jsonLd: CredentialFormat = {
  name: 'jsonld',
  algorithms: ALGORITHMS,
  registryTypeFor: (_algorithm, contexts) =>
    dataModelOf([...contexts]) === '2.0' ? 'BitstringStatusListEntry' : 'StatusList2021Entry',
  unsigned,
  build,
  recognise: (given) => (typeof given === 'string' ? undefined : recogniseDocument(given)),
}

/** A proof as long as any of ours, since the size with the proof counts in verifying. */
const PROOF: JsonObject = { room: 'x'.repeat(500) }

function unsigned(parts: CredentialParts): UnsignedCredential {
  const { document, leftOut } = buildDocument(parts, [])
  const wrong = dataModelOf(document['@context']) === '2.0' ? wrongInCredential2(document) : undefined
  if (wrong !== undefined) throw new FormatError('malformed', wrong)
  checkLimits(document)
  return { credential: document, claims: claimsOf(document), leftOut }
}

/** @throws FormatError where the suite does not sign documents of that data model */
function contextsOf({ algorithm, contexts, proofType }: IssuingSuite, parts: CredentialParts): readonly string[] {
  const model = dataModelOf([...parts.contexts])
  const found = contexts[model]
  if (found !== undefined) return found
  const others = ALGORITHMS.map(({ name }) => name).filter((name) => suiteForAlgorithm(name).contexts[model])
  throw new FormatError(
    'malformed',
    `the algorithm ${algorithm.name} (${proofType}) does not sign credentials of data model ${model}: use ${others.join(', ')}`,
  )
}

function build(parts: SignedParts): Draft {
  const suite = suiteForAlgorithm(parts.algorithm.name)
  const { document, leftOut } = buildDocument(parts, contextsOf(suite, parts))
  const wrong = wrongInCredential(document)
  if (wrong !== undefined) throw new FormatError('malformed', wrong)
  checkLimits({ ...document, proof: PROOF })
  const { verificationMethod, created } = parts
  const options = { created, verificationMethod, proofPurpose: 'assertionMethod' } as const
  const proof = prepareProof({ document, suite, options })
  return {
    claims: claimsOf(document),
    leftOut,
    toSign: async ({ hashWith }) => ({
      messages: [await proof.toSign(await hashWith([document['@context']]))],
      async finish([signature]) {
        if (signature === undefined) throw new Error('the signer answered no signature')
        return proof.finish(signature)
      },
    }),
  }
}
