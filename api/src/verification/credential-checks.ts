import { compareResources } from '../credentials/issuing/compare-resources.js'
import { type Finding, type Findings, failed, NOT_APPLICABLE, passed, unavailable, worstOf } from '../formats/check.js'
import type { Claims, Proof, ReadCredential, Unreadable } from '../formats/credential-format.js'
import type { Json } from '../formats/json.js'
import type { At } from '../ledger/read/at.js'
import type { OperationServices } from '../platform/http/context.js'
import { authorisedWhenIssued, issuerAuthorised, type TrustQuestion, verifierPermitted } from './authorised.js'
import type { ProofDoor } from './proof-checks.js'
import { type SchemaDoor, schemaCheck } from './schema.js'
import { checkSigned, type Outcome } from './signed-checks.js'
import { type StatusDoor, type StatusQuestion, statusCheck } from './status.js'

export type Door = Pick<OperationServices, 'formats'> & StatusDoor & SchemaDoor & ProofDoor

/** The questions about each credential. */
export type CredentialQuestion = TrustQuestion & StatusQuestion

/** Checks one credential, as of a point in time. */
export async function checkCredential(
  door: Door,
  question: CredentialQuestion,
  credential: ReadCredential | Unreadable,
  at: At,
): Promise<Outcome> {
  if (credential.wrong) return { findings: { structure: credential.wrong }, proofs: [] }
  const { claims, proofs } = credential
  const signed = await checkSigned(door, { dates: claims.dates, proofs }, { ownerOf: () => claims.issuer ?? '', at })
  const claimed = { claims, proofs: proofs.map((proof) => ({ created: issuerTime(proof) })) }
  const findings = { ...signed.findings, ...(await checkClaims(door, question, claimed, at)) }
  // Everything that these checks need has been fetched by now.
  return { ...signed, findings: worstOf([findings, await resourceFindings(door, claims)]) }
}

/** The time that the issuer claims; a holder may have made the proof later. */
const issuerTime = ({ created, checking }: Proof): Json | undefined =>
  checking.by === 'keys' ? (checking.keys[0].signedAt ?? created) : created

/** The claims of a credential, with the time that each of its proofs claims. */
interface Claimed {
  claims: Claims
  proofs: readonly Pick<Proof, 'created'>[]
}

/** Checks everything of a credential but its signatures and dates. */
export async function checkClaims(
  door: Door,
  question: CredentialQuestion,
  claimed: Claimed,
  at: At,
): Promise<Findings> {
  const { claims } = claimed
  const [schema, status, issuerNow, issuerThen, verifier] = await Promise.all([
    schemaCheck(door, claims, at),
    statusCheck(door, claims, question, at),
    issuerAuthorised(door, question, claims, at),
    authorisedWhenIssued(door, question, claimed, at),
    verifierPermitted(door, question, claims, at),
  ])
  return {
    schema,
    status,
    issuerAuthorised: issuerNow,
    authorisedWhenIssued: issuerThen,
    verifierPermitted: verifier,
    delegation: delegation(claims),
  }
}

/**
 * Looks at the resources that a credential names: their digests are signed, so that another resource is none that was
 * meant. One that cannot be had is used by nobody here, and told of.
 */
async function resourceFindings(door: Door, { relatedResources }: Claims): Promise<Findings> {
  if (relatedResources === undefined) return {}
  const { other, missing } = await compareResources(door.remoteDocuments, relatedResources)
  if (other !== undefined)
    return { proof: failed('other_digest', `${other.slice(0, 200)} has another digest than its relatedResource names`) }
  const [first] = missing
  if (first === undefined) return {}
  const [url, reason] = first
  return { proof: passed({ warning: `the resource ${url.slice(0, 200)} was not compared with its digest: ${reason}` }) }
}

/** A link of a delegation chain depends on the credentials before it, which are not checked yet. */
const delegation = ({ previous }: Claims): Finding =>
  previous === undefined ? NOT_APPLICABLE : unavailable('chains of delegated credentials cannot be checked yet')
