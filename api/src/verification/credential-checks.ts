import { type Finding, type Findings, NOT_APPLICABLE, passed, unavailable, worstOf } from '../formats/check.js'
import type { Claims, ReadCredential, Unreadable } from '../formats/credential-format.js'
import type { At } from '../ledger/read/at.js'
import type { OperationServices } from '../platform/http/context.js'
import { authorisedWhenIssued, issuerAuthorised, type TrustQuestion, verifierPermitted } from './authorised.js'
import { checkProofs, type ProofDoor, type ProofOutcome } from './proof-checks.js'
import { type SchemaDoor, schemaCheck } from './schema.js'
import { type StatusDoor, type StatusQuestion, statusCheck } from './status.js'
import { validity } from './validity.js'

export type Door = Pick<OperationServices, 'formats'> & StatusDoor & SchemaDoor & ProofDoor

/** The questions about each credential. */
export type CredentialQuestion = TrustQuestion & StatusQuestion

export interface Outcome {
  findings: Findings
  proofs: ProofOutcome[]
}

/** Looks at one credential, as of a point in time. */
export async function checkCredential(
  door: Door,
  question: CredentialQuestion,
  credential: ReadCredential | Unreadable,
  at: At,
): Promise<Outcome> {
  if (credential.wrong) return { findings: { structure: credential.wrong }, proofs: [] }
  const { claims } = credential
  const proofs = await checkProofs(door, credential.proofs, { by: claims.issuer, at })
  const [schema, status, issuerNow, issuerThen, verifier] = await Promise.all([
    schemaCheck(door, claims),
    statusCheck(door, claims, question, at),
    issuerAuthorised(door, question, claims, at),
    authorisedWhenIssued(door, question, credential, at),
    verifierPermitted(door, question, claims, at),
  ])
  const findings: Findings = {
    ...worstOf([{ structure: passed() }, ...proofs.map((proof) => proof.findings)]),
    validity: validity(claims.dates, credential.proofs, at.instant),
    schema,
    status,
    issuerAuthorised: issuerNow,
    authorisedWhenIssued: issuerThen,
    verifierPermitted: verifier,
    delegation: delegation(claims),
  }
  return { findings, proofs }
}

/** A link of a delegation chain stands and falls with the credentials before it, which nobody looks at yet. */
const delegation = ({ previous }: Claims): Finding =>
  previous === undefined ? NOT_APPLICABLE : unavailable('chains of delegated credentials cannot be checked yet')
