import { encodeBase58 } from '@accredit/chain'
import type { CredentialFormat, CredentialParts, Draft, SignedParts } from '../credential-format.js'
import { FormatError } from '../format-error.js'
import { isObject, type Json, type JsonObject, quoted } from '../json.js'
import { wrongInCredential } from '../json-ld/canonical/credential-form.js'
import { buildDocument } from '../json-ld/credential-document.js'
import { dataModelOf } from '../json-ld/data-model.js'
import { claimsOf } from '../json-ld/document-claims.js'
import { checkLimits } from '../json-ld/limits.js'
import { OF_SUBJECT } from '../schema-types.js'
import { recognisePresentation } from './presentation.js'
import { countLeaves, MOST_MESSAGES, NO_URI, readSchema } from './read-schema.js'
import { recogniseCredential } from './recognise.js'
import { SCHEMES, schemeOf } from './schemes.js'
import { CRYPTO_VERSION, deterministic, SCHEMA_VERSION, signedForm } from './signed-form.js'
import { PARSING, signedSchemaOf } from './signed-schema.js'

const ACCUMULATOR = 'DockVBAccumulator2022'

/**
 * Credentials whose members are signed one by one (BBS of 2023, BBS+ of 2022, and BBDT16, which only its issuer's service checks), as
 * JSON-LD documents of data model 1.1. Their holders show what they want of them.
 */
export const bbs: CredentialFormat = {
  name: 'jsonld',
  algorithms: SCHEMES.map(({ algorithm }) => algorithm),
  registryTypeFor: () => ACCUMULATOR,
  build,
  recognise: (given) =>
    typeof given === 'string' ? undefined : (recogniseCredential(given) ?? recognisePresentation(given)),
}

/** The context that other software of the field expects beside that of the suite. */
const PROOF_CONTEXT: JsonObject = {
  sec: 'https://w3id.org/security#',
  proof: { '@id': 'sec:proof', '@type': '@id', '@container': '@graph' },
}

function build(parts: SignedParts): Draft {
  const scheme = schemeOf(parts.algorithm.name)
  if (dataModelOf([...parts.contexts]) === '2.0')
    throw new FormatError('malformed', `credentials of data model 2.0 are not signed with ${scheme.algorithm.name}`)
  refuseForeignStatus(parts)
  const { document, leftOut } = buildDocument(parts, [scheme.context])
  const wrong = wrongInCredential(document)
  if (wrong !== undefined) throw new FormatError('malformed', wrong)
  refuseLaterIssuance(parts)
  const { verificationMethod, created } = parts
  const proof = { type: scheme.proofType, created, verificationMethod, proofPurpose: 'assertionMethod' }
  const context = contextOf(document['@context'], scheme.context)
  const { credentialSchema: _, ...members }: JsonObject = {
    ...document,
    '@context': context,
    cryptoVersion: CRYPTO_VERSION,
  }
  const credentialSchema = schemaMember(signedForm(members, proof), parts.schema)
  const whole = { ...members, credentialSchema }
  checkLimits({ ...whole, proof: { ...proof, proofValue: 'z'.repeat(2 * scheme.length) } })
  return {
    claims: claimsOf(document),
    leftOut,
    toSign: async ({ bbs: work }) => ({
      messages: await work.messages({ ...signedForm(whole, proof), credentialSchema }),
      async finish([signature]) {
        if (signature === undefined) throw new Error('the signer answered no signature')
        return { ...whole, proof: { ...proof, proofValue: `z${encodeBase58(signature)}` } }
      },
    }),
  }
}

/** W3C's context first, and that of the suite last: what other software expects. */
const contextOf = (context: readonly Json[], suite: string): Json[] => [
  ...context.filter((part) => part !== suite),
  PROOF_CONTEXT,
  suite,
]

/** The member `credentialSchema`: it says how each other member becomes a field element. */
function schemaMember(signed: JsonObject, named: CredentialParts['schema']): JsonObject {
  const { cryptoVersion: _, ...members } = signed
  const jsonSchema = signedSchemaOf(members, named)
  const details = deterministic({ parsingOptions: { ...PARSING }, jsonSchema })
  const member = { id: named?.id ?? NO_URI, type: OF_SUBJECT, version: SCHEMA_VERSION, details }
  const read = readSchema(member)
  if (typeof read === 'string') throw new FormatError('malformed', read)
  const messages = countLeaves(read.schema)
  if (messages > MOST_MESSAGES)
    throw new FormatError('too_large', `${messages} members and items; at most ${MOST_MESSAGES} are possible`)
  return member
}

/** The status of these credentials is proven without their index: a place on a list would tell who shows them. */
function refuseForeignStatus({ statuses }: CredentialParts): void {
  const [first] = statuses
  if (first === undefined || (isObject(first) && first.type === ACCUMULATOR && statuses.length === 1)) return
  throw new FormatError(
    'malformed',
    `a status entry of type ${quoted(first.type)} cannot be part of a credential with this algorithm`,
  )
}

/** A derived credential shows no issuanceDate: nobody could tell that one is not valid yet. */
function refuseLaterIssuance({ issuanceDate, created }: SignedParts): void {
  if (Date.parse(issuanceDate) > Date.parse(created))
    throw new FormatError(
      'malformed',
      'its issuanceDate is in the future, which holders need not show with this algorithm',
    )
}
