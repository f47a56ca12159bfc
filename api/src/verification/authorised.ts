import { type Did, type Hex32, parseDid, schemaId } from '@accredit/chain'
import type { At } from '../ledger/at.js'
import { type AuthorizationReason, authorizationAt, type LedgerRole } from '../ledger/authorization.js'
import type { Environment } from '../platform/context.js'
import { idOf, type JsonObject } from '../suites/json.js'
import { type Finding, failed, NOT_APPLICABLE, passed } from './check.js'
import { schemaUris } from './schema.js'

export interface TrustQuestion {
  /** `unknown`: one was named that does not exist; undefined: none was. */
  trustRegistryId: Hex32 | 'unknown' | undefined
  verifierDID: Did | undefined
}

type Door = Pick<Environment, 'index'>

/** Whether the trust registry lets the issuer issue credentials of this schema. */
export async function issuerAuthorised(
  door: Door,
  question: TrustQuestion,
  document: JsonObject,
  at: At,
): Promise<Finding> {
  const issuer = parseDid(idOf(document.issuer) ?? '')
  if (question.trustRegistryId === undefined) return NOT_APPLICABLE
  if (issuer === undefined) return failed('not_listed', 'the issuer is no DID that a registry can list')
  return authorised(door, question.trustRegistryId, document, issuer, 'issuer', at)
}

/** Whether it lets the verifier verify them. */
export async function verifierPermitted(
  door: Door,
  question: TrustQuestion,
  document: JsonObject,
  at: At,
): Promise<Finding> {
  const { trustRegistryId, verifierDID } = question
  if (trustRegistryId === undefined || verifierDID === undefined) return NOT_APPLICABLE
  return authorised(door, trustRegistryId, document, verifierDID, 'verifier', at)
}

async function authorised(
  { index }: Door,
  registryId: Hex32 | 'unknown',
  document: JsonObject,
  did: Did,
  role: LedgerRole,
  at: At,
): Promise<Finding> {
  if (registryId === 'unknown') return failed('unknown_registry', SENTENCES.unknown_registry)
  const [uri, ...more] = schemaUris(document)
  if (uri === undefined || more.length > 0)
    return failed('unknown_schema', 'rights are given for a schema, and the credential does not name exactly one')
  const answer = await authorizationAt(index, { registryId, schemaId: schemaId(uri), did, role, at })
  const { reason, via, since, event, explanation, block } = answer
  const facts = {
    ...(via !== undefined && { via }),
    ...(since !== undefined && { since }),
    ...(event !== undefined && { event }),
  }
  const why = { block, ...facts, explanation }
  if (answer.authorized) return passed({ reason, ...why })
  return failed(reason, `${SENTENCES[reason]} (${did}, registry ${registryId})`, why)
}

const SENTENCES: Record<AuthorizationReason, string> = {
  direct: 'listed',
  delegated: 'delegated',
  public_schema: 'anyone may verify this schema',
  suspended: 'suspended in the registry',
  delegator_suspended: 'the issuer that delegated is suspended in the registry',
  deactivated: 'the DID is deactivated',
  not_listed:
    'the credential can only be issued and verified by participants of the registry, and this DID is not one for its schema',
  unknown_registry: 'there is no such registry',
  unknown_schema: 'the registry does not know the schema of the credential',
}
