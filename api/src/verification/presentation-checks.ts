import { type Finding, type Findings, failed, NOT_APPLICABLE, passed, worstOf } from '../formats/check.js'
import type {
  DerivedCredential,
  NeededKey,
  PresentedCredential,
  Proof,
  ReadCredential,
  ReadPresentation,
  Unreadable,
} from '../formats/credential-format.js'
import { asArray, textOf } from '../formats/json.js'
import type { At } from '../ledger/read/at.js'
import { type CredentialQuestion, checkClaims, checkCredential, type Door } from './credential-checks.js'
import { holderBinding, holderKeyProven } from './holder-binding.js'
import { mapConcurrent } from './map-concurrent.js'
import { ownerFinding } from './proof-checks.js'
import { checkSigned, type Outcome } from './signed-checks.js'
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

/** Checks a presentation and each credential in it, as of a point in time. */
export async function checkPresentation(
  door: Door,
  question: PresentationQuestion,
  given: ReadPresentation | Unreadable,
  at: At,
): Promise<PresentationOutcome> {
  if (given.wrong) return { presentation: { findings: { structure: given.wrong }, proofs: [] }, credentials: [] }
  const { findings: own, proofs } = await checkSigned(door, given, {
    // The keys of issuers are compared with the credentials that were derived.
    ownerOf: (key) => (isOfHolder(key) ? given.holder : undefined),
    at,
  })
  const findings: Findings = {
    ...own,
    holder: holderFinding(given, own),
    challenge: challengeFinding(question, given.proofs),
  }
  const presentation = { findings, proofs }
  const credentials = await mapConcurrent(given.credentials, CREDENTIALS_AT_ONCE, async (one) => {
    const credential = credentialIn(door, one)
    if (credential.kind === 'presentation') return checkBound(door, question, credential, { presentation, at })
    const outcome =
      credential.kind === 'derived'
        ? await checkDerived(door, question, credential, { presentation, at })
        : await checkCredential(door, question, credential, at)
    return {
      ...outcome,
      findings: {
        ...outcome.findings,
        holder: holderKeyProven(presentation, credential),
        holderBinding: holderBinding(presentation, credential),
      },
    }
  })
  return { presentation, credentials }
}

type InPresentation =
  | ReadCredential
  | DerivedCredential
  | (Unreadable & { kind: 'credential' })
  | (ReadPresentation & { isBoundCredential: true })

/** A presentation holds credentials, also such as are bound to their holder's key, and no other presentations. */
function credentialIn({ formats }: Door, given: PresentedCredential): InPresentation {
  if (given.kind !== 'document') return given
  const recognised = formats.recognise(given.document)
  if (recognised.wrong) return { kind: 'credential', wrong: recognised.wrong }
  if (recognised.kind === 'credential') return recognised
  const { isBoundCredential } = recognised
  return isBoundCredential
    ? { ...recognised, isBoundCredential }
    : { kind: 'credential', wrong: failed('malformed', 'it is a presentation') }
}

/**
 * Checks a credential whose holder bound it to the question by a key of its own: the binding has to answer it like the
 * presentation around it, and proves the key that the credential names.
 */
async function checkBound(
  door: Door,
  question: PresentationQuestion,
  bound: ReadPresentation,
  { presentation, at }: { presentation: Outcome; at: At },
): Promise<Outcome> {
  const { presentation: binding, credentials } = await checkPresentation(door, question, bound, at)
  const findings = worstOf([binding.findings, ...credentials.map((one) => one.findings)])
  const [credential] = bound.credentials
  const isRead = credential?.kind === 'credential'
  return {
    findings: { ...findings, ...(isRead && { holderBinding: holderBinding(presentation, credential) }) },
    proofs: [...credentials.flatMap(({ proofs }) => proofs), ...binding.proofs],
  }
}

/** Looks at a credential that the presentation's proof stands over, with a key of its issuer among others. */
async function checkDerived(
  door: Door,
  question: CredentialQuestion,
  { claims, key }: DerivedCredential,
  { presentation, at }: { presentation: Outcome; at: At },
): Promise<Outcome> {
  const [proven] = presentation.proofs.flatMap(({ keys, findings: { proof } }) => {
    const own = keys.get(key)
    return own === undefined ? [] : [{ proof, issuerKey: own.finding }]
  })
  const owner = ownerFinding(key, claims.issuer ?? '')
  const issuerKey = owner.passed ? proven?.issuerKey : owner
  const findings: Findings = {
    structure: passed(),
    proof: proven?.proof ?? NOT_CHECKED,
    issuerKey: issuerKey ?? NOT_CHECKED,
    validity: validity(claims.dates, [], at.instant),
    ...(await checkClaims(door, question, { claims, proofs: [{ created: key.signedAt }] }, at)),
  }
  return { findings, proofs: [] }
}

const isOfHolder = ({ purpose }: NeededKey): boolean => purpose === 'authentication'

/** Tells whether a proof is made of what issuers signed, and of no key of a holder. */
const isAnonymous = ({ checking }: Proof): boolean => checking.by === 'keys' && !checking.keys.some(isOfHolder)

/** The holder is the DID whose own key, good at that point, signed the presentation. */
function holderFinding({ holder, proofs }: ReadPresentation, own: Findings): Finding {
  const { proof = NOT_CHECKED, issuerKey = NOT_CHECKED } = own
  if (proofs.length > 0 && proofs.every(isAnonymous))
    return holder === undefined
      ? NOT_APPLICABLE
      : failed('holder_not_proven', 'the presentation names a holder, and no key of it signed')
  const found = proof.passed === true ? issuerKey : proof
  return found.passed === true ? passed() : failed(found.reason ?? 'not_checked', found.detail)
}

const NOT_CHECKED = failed('not_checked')

function challengeFinding({ challenge, domain }: PresentationQuestion, proofs: readonly Proof[]): Finding {
  if (challenge === undefined && domain === undefined) return NOT_APPLICABLE
  if (challenge !== undefined && !proofs.every((proof) => textOf(proof.challenge) === challenge))
    return failed('wrong_challenge', 'the proof does not carry the challenge')
  // A proof may be meant for several.
  if (domain !== undefined && !proofs.every((proof) => asArray(proof.domain).includes(domain)))
    return failed('wrong_domain', 'the proof does not carry the domain')
  return passed()
}
