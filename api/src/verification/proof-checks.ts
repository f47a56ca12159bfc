import { type Finding, type Findings, failed, passed } from '../formats/check.js'
import type { FormatTools, NeededKey, Proof } from '../formats/credential-format.js'
import type { JsonObject } from '../formats/json.js'
import type { At } from '../ledger/read/at.js'
import type { Environment } from '../platform/http/context.js'
import { askIssuerKey, type IssuerKeyDoor } from './issuer-key.js'
import { type KeyFinding, keyAt, type VerificationMethod } from './key-at.js'
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
}

/** Every proof must hold: `structure`, `proof` and `issuerKey` of each. */
export const checkProofs = (
  door: ProofDoor,
  proofs: readonly Proof[],
  question: ProofQuestion,
): Promise<ProofOutcome[]> => Promise.all(proofs.map((proof) => checkOneProof(door, proof, question)))

async function checkOneProof(door: ProofDoor, proof: Proof, question: ProofQuestion): Promise<ProofOutcome> {
  const { shown, checking } = proof
  if (checking.by === 'nobody') return { proof: shown, method: undefined, findings: { proof: checking.finding } }
  const key = await keyAt(door, { ...checking.key, created: instantOf(proof.created), at: question.at })
  const owner = ownerFinding(checking.key, question)
  const decided = key.publicKey
    ? await decide(door, checking, { ...key, publicKey: key.publicKey })
    : { proof: failed('no_key', key.finding.detail) }
  return { proof: shown, method: key.method, findings: { ...decided, issuerKey: worseOf(owner, key.finding) } }
}

type Decidable = Exclude<Proof['checking'], { by: 'nobody' }>

async function decide(
  door: ProofDoor,
  checking: Decidable,
  { publicKey }: KeyFinding & { publicKey: Uint8Array },
): Promise<Findings> {
  if (checking.by === 'anybody') return checking.check(publicKey, door.tools)
  const asked = await askIssuerKey(door, checking.key, publicKey)
  return typeof asked === 'function' ? checking.check(asked, door.tools) : { proof: asked }
}

const worseOf = (owner: Finding, key: Finding): Finding => (owner.passed === false ? owner : key)

function ownerFinding({ id }: NeededKey, { by }: ProofQuestion): Finding {
  const [owner] = id.split('#')
  return by === undefined || owner === by
    ? passed()
    : failed('not_the_issuer', 'the key that signed does not belong to who is named in the document')
}
