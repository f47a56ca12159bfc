import type { At } from '../ledger/at.js'
import { asArray, idOf, type JsonObject, textOf } from '../suites/json.js'
import { proofsOf } from '../suites/linked-data-proof.js'
import { type Finding, type Findings, failed, NOT_APPLICABLE, passed, worstOf } from './check.js'
import { type CredentialQuestion, checkCredential, type Door, type Outcome } from './credential-checks.js'
import { holderBinding } from './holder-binding.js'
import { inTurn } from './in-turn.js'
import { checkProofs } from './proof-checks.js'
import { presentationStructure } from './structure.js'
import { validity } from './validity.js'

export interface PresentationQuestion extends CredentialQuestion {
  challenge: string | undefined
  domain: string | undefined
}

export interface PresentationOutcome {
  /** The presentation's own proof. */
  presentation: Outcome
  credentials: Outcome[]
}

const CREDENTIALS_AT_ONCE = 4

/** Looks at a presentation and at each credential in it, as of a point in time. */
export async function checkPresentation(
  door: Door,
  question: PresentationQuestion,
  document: JsonObject,
  at: At,
): Promise<PresentationOutcome> {
  const structure = presentationStructure(document)
  if (structure.passed !== true) return { presentation: { findings: { structure }, proofs: [] }, credentials: [] }
  const holder = idOf(document.holder)
  const proofs = await checkProofs(door, document, { purpose: 'authentication', by: holder, at })
  const own = worstOf([{ structure }, ...proofs.map((proof) => proof.findings)])
  const findings: Findings = {
    ...own,
    validity: validity(document, proofsOf(document), at.instant),
    holder: holderFinding(own),
    challenge: challengeFinding(question, document),
  }
  const presentation = { findings, proofs }
  const credentials = await inTurn(asArray(document.verifiableCredential), CREDENTIALS_AT_ONCE, async (credential) => {
    const outcome = await checkCredential(door, question, credential, at)
    return { ...outcome, findings: { ...outcome.findings, holderBinding: holderBinding(presentation, credential) } }
  })
  return { presentation, credentials }
}

/** The holder is who could sign the presentation with a key of its own, then. */
function holderFinding({ proof = NOT_CHECKED, issuerKey = NOT_CHECKED }: Findings): Finding {
  const found = proof.passed === true ? issuerKey : proof
  return found.passed === true ? passed() : failed(found.reason ?? 'not_checked', found.detail)
}

const NOT_CHECKED = failed('not_checked')

function challengeFinding({ challenge, domain }: PresentationQuestion, document: JsonObject): Finding {
  if (challenge === undefined && domain === undefined) return NOT_APPLICABLE
  const proofs = proofsOf(document)
  if (challenge !== undefined && !proofs.every((proof) => textOf(proof.challenge) === challenge))
    return failed('wrong_challenge', 'the proof does not carry the challenge')
  if (domain !== undefined && !proofs.every((proof) => textOf(proof.domain) === domain))
    return failed('wrong_domain', 'the proof does not carry the domain')
  return passed()
}
