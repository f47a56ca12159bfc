import { idOf, isObject, type Json, type JsonObject } from '../formats/json.js'
import { proofsOf } from '../formats/json-ld/linked-data-proof.js'
import type { At } from '../ledger/read/at.js'
import type { Environment } from '../platform/http/context.js'
import { authorisedWhenIssued, issuerAuthorised, type TrustQuestion, verifierPermitted } from './authorised.js'
import { type Finding, type Findings, NOT_APPLICABLE, unavailable, worstOf } from './check.js'
import { checkProofs, type ProofDoor, type ProofOutcome } from './proof-checks.js'
import { type SchemaDoor, schemaCheck } from './schema.js'
import { type StatusQuestion, statusCheck } from './status.js'
import { credentialStructure } from './structure.js'
import { validity } from './validity.js'

export type Door = Pick<Environment, 'index' | 'db' | 'config' | 'clock' | 'guardedFetch'> & SchemaDoor & ProofDoor

/** What is asked of each credential. */
export type CredentialQuestion = TrustQuestion & StatusQuestion

export interface Outcome {
  findings: Findings
  proofs: ProofOutcome[]
}

/** Looks at one credential, as of a point in time. */
export async function checkCredential(
  door: Door,
  question: CredentialQuestion,
  document: Json,
  at: At,
): Promise<Outcome> {
  const structure = credentialStructure(document)
  if (structure.passed !== true || !isObject(document)) return { findings: { structure }, proofs: [] }
  const issuer = idOf(document.issuer)
  const proofs = await checkProofs(door, document, { purpose: 'assertionMethod', by: issuer, at })
  const [schema, status, issuerNow, issuerThen, verifier] = await Promise.all([
    schemaCheck(door, document),
    statusCheck(door, document, question, at),
    issuerAuthorised(door, question, document, at),
    authorisedWhenIssued(door, question, document, at),
    verifierPermitted(door, question, document, at),
  ])
  const findings: Findings = {
    ...worstOf([{ structure }, ...proofs.map((proof) => proof.findings)]),
    validity: validity(document, proofsOf(document), at.instant),
    schema,
    status,
    issuerAuthorised: issuerNow,
    authorisedWhenIssued: issuerThen,
    verifierPermitted: verifier,
    delegation: delegation(document),
  }
  return { findings, proofs }
}

/** A link of a delegation chain stands and falls with the credentials before it, which nobody looks at yet. */
const delegation = ({ previousCredentialId }: JsonObject): Finding =>
  previousCredentialId === undefined
    ? NOT_APPLICABLE
    : unavailable('chains of delegated credentials cannot be checked yet')
