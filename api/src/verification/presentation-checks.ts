import { asArray, idOf, type JsonObject, textOf } from '../formats/json.js'
import { proofsOf } from '../formats/json-ld/linked-data-proof.js'
import type { At } from '../ledger/read/at.js'
import { type Finding, type Findings, failed, NOT_APPLICABLE, passed, worstOf } from './check.js'
import { type CredentialQuestion, checkCredential, type Door, type Outcome } from './credential-checks.js'
import { holderBinding } from './holder-binding.js'
import { mapConcurrent } from './map-concurrent.js'
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
  const credentials = await mapConcurrent(
    asArray(document.verifiableCredential),
    CREDENTIALS_AT_ONCE,
    async (credential) => {
      const outcome = await checkCredential(door, question, credential, at)
      return { ...outcome, findings: { ...outcome.findings, holderBinding: holderBinding(presentation, credential) } }
    },
  )
  return { presentation, credentials }
}

/** The holder is who could sign the presentation with a key of its own, then. */
function holderFinding({ proof, issuerKey }: Findings): Finding {
  if (proof?.passed === true && issuerKey?.passed === true) return passed()
  const cause = proof?.passed === true ? issuerKey : proof
  return failed(cause?.reason ?? 'not_checked', cause?.detail)
}

function challengeFinding({ challenge, domain }: PresentationQuestion, document: JsonObject): Finding {
  if (challenge === undefined && domain === undefined) return NOT_APPLICABLE
  const proofs = proofsOf(document)
  if (challenge !== undefined && !proofs.every((proof) => textOf(proof.challenge) === challenge))
    return failed('wrong_challenge', 'the proof does not carry the challenge')
  if (domain !== undefined && !proofs.every((proof) => textOf(proof.domain) === domain))
    return failed('wrong_domain', 'the proof does not carry the domain')
  return passed()
}
