import { asArray, idOf, isObject, type Json, type JsonObject } from '../formats/json.js'
import { CREDENTIALS_V1, CREDENTIALS_V2 } from '../formats/json-ld/contexts/known-contexts.js'
import { pointerTo } from '../platform/http/input/pointer.js'
import type { Problem } from '../platform/http/problems.js'
import { parseUrl } from '../platform/parse-url.js'

/** The names of this service for members that the standard calls otherwise. */
const OWN_NAMES = {
  subject: 'credentialSubject',
  context: '@context',
  types: 'type',
  schema: 'credentialSchema',
  status: 'credentialStatus',
}

type Rule = (credential: JsonObject) => [member: string, message: string] | undefined

const isMissing = (value: Json | undefined): boolean => asArray(value).length === 0

/** The parts that the data model demands of every credential. https://www.w3.org/TR/vc-data-model-2.0/#verifiable-credentials */
const RULES: readonly Rule[] = [
  ({ '@context': context }) => {
    const [first] = asArray(context)
    if (first === CREDENTIALS_V1 || first === CREDENTIALS_V2) return undefined
    return ['@context', `@context must begin with ${CREDENTIALS_V2} or ${CREDENTIALS_V1}`]
  },
  ({ type }) =>
    asArray(type).includes('VerifiableCredential') ? undefined : ['type', 'type must hold VerifiableCredential'],
  ({ issuer }) =>
    parseUrl(idOf(issuer) ?? '') ? undefined : ['issuer', 'issuer must be a URL, or an object with one as id'],
  ({ credentialSubject }) =>
    !isMissing(credentialSubject) && asArray(credentialSubject).every((one) => isObject(one) && !isEmpty(one))
      ? undefined
      : ['credentialSubject', 'credentialSubject must be an object with members, or several'],
  ({ proof }) => (proof === undefined ? undefined : ['proof', 'the credential is signed already']),
  ...['evidence', 'termsOfUse', 'refreshService', 'credentialSchema', 'credentialStatus'].map(
    (member): Rule =>
      (credential) =>
        asArray(credential[member]).every((one) => isObject(one) && !isMissing(one.type))
          ? undefined
          : [member, `each ${member} must be an object with a type`],
  ),
  ...Object.entries(OWN_NAMES).map(
    ([name, standard]): Rule =>
      (credential) =>
        name in credential ? [name, `${name} is not of the data model: it calls this ${standard}`] : undefined,
  ),
]

const isEmpty = (value: JsonObject): boolean => Object.keys(value).length === 0

/** Everything in a credential to issue that the data model forbids. */
export const problemsIn = (credential: JsonObject): Problem[] =>
  RULES.flatMap((rule) => {
    const [member, message] = rule(credential) ?? []
    return member === undefined || message === undefined ? [] : [{ path: pointerTo(['credential', member]), message }]
  })
