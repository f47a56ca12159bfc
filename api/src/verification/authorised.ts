import { type Did, type Hex32, parseAnyDid, schemaId } from '@accredit/chain'
import { type Finding, failed, NOT_APPLICABLE, passed } from '../formats/check.js'
import type { Claims, Proof } from '../formats/credential-format.js'
import type { Json } from '../formats/json.js'
import { type At, pointBefore } from '../ledger/read/at.js'
import { type AuthorizationReason, authorizationAt, type LedgerRole } from '../ledger/read/authorization.js'
import { AHEAD_MS } from '../ledger/read/instant.js'
import type { Environment } from '../platform/http/context.js'
import { schemaUris } from './schema.js'
import { instantOf } from './validity.js'

export interface TrustQuestion {
  /** `unknown`: one was named that does not exist; undefined: none was. */
  trustRegistryId: Hex32 | 'unknown' | undefined
  verifierDID: Did | undefined
}

type Door = Pick<Environment, 'index'>
type Point = Pick<At, 'block' | 'time'>

/** The claims of a credential, with the time that each of its proofs claims. */
interface Signed {
  claims: Claims
  proofs: readonly Pick<Proof, 'created'>[]
}

/** Checks that the trust registry lets the issuer issue credentials of this schema. */
export async function issuerAuthorised(
  door: Door,
  { trustRegistryId }: TrustQuestion,
  claims: Claims,
  at: Point,
): Promise<Finding> {
  if (trustRegistryId === undefined) return NOT_APPLICABLE
  const issuer = parseAnyDid(claims.issuer ?? '')
  if (issuer === undefined) return failed('not_listed', 'the issuer is no DID that a registry can list')
  return authorised(door, trustRegistryId, claims, issuer, 'issuer', at)
}

/**
 * Checks that the registry let the issuer do so when the credential was issued, at the time that each proof claims: the
 * issuer's own word.
 */
export async function authorisedWhenIssued(
  door: Door,
  question: TrustQuestion,
  { claims, proofs }: Signed,
  at: At,
): Promise<Finding> {
  if (question.trustRegistryId === undefined) return NOT_APPLICABLE
  const findings = await Promise.all(
    proofs.map(async ({ created }): Promise<Finding> => {
      const claimed = await claimedPoint(door, created, at)
      return 'passed' in claimed ? claimed : issuerAuthorised(door, question, claims, claimed)
    }),
  )
  const [first = failed('not_checked')] = findings
  return { ...(findings.find((finding) => finding.passed !== true) ?? first), basis: 'claimed' }
}

/**
 * The last block at or before the time that a proof claims, none later than the point of the answer; or why there is
 * none.
 */
async function claimedPoint({ index }: Door, created: Json | undefined, at: At): Promise<Point | Finding> {
  const claimed = instantOf(created)
  if (claimed === undefined) return failed('unreadable_date', 'the proof does not say when it was made')
  if (claimed.getTime() > at.instant.getTime() + AHEAD_MS)
    return failed('signed_later', `the proof claims a time that lies ahead, ${claimed.toISOString()}`)
  const point = await pointBefore(index, claimed, at)
  return point ?? failed('before_ledger', `the proof claims ${claimed.toISOString()}, before the first block`)
}

/** Checks that it lets the verifier verify them. */
export async function verifierPermitted(door: Door, question: TrustQuestion, claims: Claims, at: At): Promise<Finding> {
  const { trustRegistryId, verifierDID } = question
  if (trustRegistryId === undefined || verifierDID === undefined) return NOT_APPLICABLE
  return authorised(door, trustRegistryId, claims, verifierDID, 'verifier', at)
}

async function authorised(
  { index }: Door,
  registryId: Hex32 | 'unknown',
  claims: Claims,
  did: Did,
  role: LedgerRole,
  at: Point,
): Promise<Finding> {
  if (registryId === 'unknown') return failed('unknown_registry', SENTENCES.unknown_registry)
  const [uri, ...more] = schemaUris(claims)
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
