import { setImmediate } from 'node:timers/promises'
import type { VerificationMethod } from '@accredit/chain'
import { type Finding, type Findings, failed, passed, worstOf } from '../formats/check.js'
import type { FormatTools, NeededKey, Proof } from '../formats/credential-format.js'
import type { JsonObject } from '../formats/json.js'
import type { At } from '../ledger/read/at.js'
import type { Environment } from '../platform/http/context.js'
import { askIssuerKey, type IssuerKeyDoor } from './issuer-key.js'
import { type KeyFinding, keyAt } from './key-at.js'
import { instantOf } from './validity.js'

/** The caller brings its own tools, whose work counts as its own. */
export interface ProofDoor extends IssuerKeyDoor, Pick<Environment, 'index'> {
  readonly tools: FormatTools
}

/** The findings about one proof. */
export interface ProofOutcome {
  proof: JsonObject
  method: VerificationMethod | undefined
  findings: Findings
}

export interface ProofQuestion {
  /** The owner of the key; undefined: the one that the proof names. */
  by: string | undefined
  at: At
  /** True where nobody asks for each proof: those after one that does not hold are not looked at. */
  untilFailed?: true
}

/**
 * Every proof must hold: `structure`, `proof` and `issuerKey` of each. One after the other, with room for other requests
 * between them: each may be a document of its own to canonise.
 */
export async function checkProofs(
  door: ProofDoor,
  proofs: readonly Proof[],
  question: ProofQuestion,
): Promise<ProofOutcome[]> {
  const outcomes: ProofOutcome[] = []
  for (const proof of proofs) {
    if (outcomes.length > 0) await setImmediate()
    const outcome = await checkOneProof(door, proof, question)
    outcomes.push(outcome)
    if (question.untilFailed && Object.values(outcome.findings).some((finding) => finding.passed === false)) break
  }
  return outcomes
}

async function checkOneProof(door: ProofDoor, proof: Proof, question: ProofQuestion): Promise<ProofOutcome> {
  const { shown, checking } = proof
  if (checking.by === 'nobody') return { proof: shown, method: undefined, findings: { proof: checking.finding } }
  const needed = checking.by === 'issuer' ? [checking.key] : checking.keys
  const keys = await Promise.all(
    needed.map((key) => keyAt(door, { ...key, created: instantOf(proof.created), at: question.at })),
  )
  const strangers = needed.map((key) => ownerFinding(key, question)).filter(({ passed }) => passed === false)
  const findings = strangers.length > 0 ? strangers : keys.map(({ finding }) => finding)
  const { issuerKey } = worstOf(findings.map((finding) => ({ issuerKey: finding })))
  const decided = await decide(door, checking, keys)
  return { proof: shown, method: keys[0]?.method, findings: { ...decided, ...(issuerKey && { issuerKey }) } }
}

type Decidable = Exclude<Proof['checking'], { by: 'nobody' }>

async function decide(door: ProofDoor, checking: Decidable, keys: readonly KeyFinding[]): Promise<Findings> {
  const missing = keys.find(({ publicKey }) => publicKey === undefined)
  const [first, ...others] = keys.flatMap(({ publicKey }) => publicKey ?? [])
  if (missing !== undefined || first === undefined) return { proof: failed('no_key', missing?.finding.detail) }
  if (checking.by === 'anybody') return checking.check([first, ...others], door.tools)
  const asked = await askIssuerKey(door, checking.key, first)
  return typeof asked === 'function' ? checking.check(asked, first, door.tools) : { proof: asked }
}

function ownerFinding({ id }: NeededKey, { by }: ProofQuestion): Finding {
  const [owner] = id.split('#')
  return by === undefined || owner === by
    ? passed()
    : failed('not_the_issuer', 'the key that signed does not belong to who is named in the document')
}
