import { type Finding, type Findings, failed, NOT_APPLICABLE, passed } from '../formats/check.js'
import type {
  PresentedCredential,
  Proof,
  ReadCredential,
  ReadPresentation,
  Unreadable,
} from '../formats/credential-format.js'
import { textOf } from '../formats/json.js'
import type { At } from '../ledger/read/at.js'
import { type CredentialQuestion, checkCredential, type Door } from './credential-checks.js'
import { holderBinding } from './holder-binding.js'
import { mapConcurrent } from './map-concurrent.js'
import { checkSigned, type Outcome } from './signed-checks.js'

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
  given: ReadPresentation | Unreadable,
  at: At,
): Promise<PresentationOutcome> {
  if (given.wrong) return { presentation: { findings: { structure: given.wrong }, proofs: [] }, credentials: [] }
  const { findings: own, proofs } = await checkSigned(door, given, { by: given.holder, at })
  const findings: Findings = {
    ...own,
    holder: holderFinding(own),
    challenge: challengeFinding(question, given.proofs),
  }
  const presentation = { findings, proofs }
  const credentials = await mapConcurrent(given.credentials, CREDENTIALS_AT_ONCE, async (one) => {
    const credential = credentialIn(door, one)
    const outcome = await checkCredential(door, question, credential, at)
    return { ...outcome, findings: { ...outcome.findings, holderBinding: holderBinding(presentation, credential) } }
  })
  return { presentation, credentials }
}

/** A presentation holds credentials, and no presentations. */
function credentialIn({ formats }: Door, given: PresentedCredential): ReadCredential | Unreadable {
  if (given.kind === 'credential') return given
  const recognised = formats.recognise(given.document)
  if (recognised.kind === 'credential') return recognised
  return { kind: 'credential', wrong: recognised.wrong ?? failed('malformed', 'it is a presentation') }
}

/** The holder is who could sign the presentation with a key of its own, then. */
function holderFinding({ proof = NOT_CHECKED, issuerKey = NOT_CHECKED }: Findings): Finding {
  const found = proof.passed === true ? issuerKey : proof
  return found.passed === true ? passed() : failed(found.reason ?? 'not_checked', found.detail)
}

const NOT_CHECKED = failed('not_checked')

function challengeFinding({ challenge, domain }: PresentationQuestion, proofs: readonly Proof[]): Finding {
  if (challenge === undefined && domain === undefined) return NOT_APPLICABLE
  if (challenge !== undefined && !proofs.every((proof) => textOf(proof.challenge) === challenge))
    return failed('wrong_challenge', 'the proof does not carry the challenge')
  if (domain !== undefined && !proofs.every((proof) => textOf(proof.domain) === domain))
    return failed('wrong_domain', 'the proof does not carry the domain')
  return passed()
}
