import { type Findings, passed, worstOf } from '../formats/check.js'
import type { Signed } from '../status/status-method.js'
import { checkProofs, type ProofDoor, type ProofOutcome, type ProofQuestion } from './proof-checks.js'
import { validity } from './validity.js'

export interface Outcome {
  findings: Findings
  proofs: ProofOutcome[]
}

/** Checks all proofs of something whose form is right, and its dates. */
export async function checkSigned(
  door: ProofDoor,
  { dates, proofs: signed }: Signed,
  question: ProofQuestion,
): Promise<Outcome> {
  const proofs = await checkProofs(door, signed, question)
  const worst = worstOf([{ structure: passed() }, ...proofs.map(({ findings }) => findings)])
  return { proofs, findings: { ...worst, validity: validity(dates, signed, question.at.instant) } }
}
