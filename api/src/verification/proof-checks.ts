import { setImmediate } from 'node:timers/promises'
import { bytesOf, hexIn } from '@accredit/chain/bytes'
import { type Finding, type Findings, failed, passed, worstOf } from '../formats/check.js'
import type { CheckingTools, FormatTools, GivenKey, HeldKey, NeededKey, Proof } from '../formats/credential-format.js'
import type { JsonObject } from '../formats/json.js'
import type { At } from '../ledger/read/at.js'
import type { Environment, OperationServices } from '../platform/http/context.js'
import type { ForeignKeyDoor } from './foreign-key.js'
import { askIssuerKey, type IssuerKeyDoor } from './issuer-key.js'
import { keyAt } from './key-at.js'
import type { KeyFinding, ShownMethod } from './key-question.js'
import { instantOf } from './validity.js'

/** The caller brings its own tools, whose work counts as its own. */
export interface ProofDoor
  extends IssuerKeyDoor,
    ForeignKeyDoor,
    Pick<Environment, 'index'>,
    Pick<OperationServices, 'statusMethods'> {
  readonly tools: FormatTools
}

/** The findings about one proof. */
export interface ProofOutcome {
  proof: JsonObject
  method: ShownMethod | undefined
  findings: Findings
  /** The finding about each key that it needs. */
  keys: ReadonlyMap<NeededKey, KeyFinding>
}

export interface ProofQuestion {
  /** Returns the owner that a key must have; undefined: the one that the proof names. */
  ownerOf(key: NeededKey): string | undefined
  at: At
  /** True where nobody asks for each proof: those after one that does not hold are not looked at. */
  untilFailed?: true
}

/**
 * Every proof must hold: `structure`, `proof` and `issuerKey` of each. One after the other, with room for other requests
 * before each, which may be a document of its own to canonise.
 */
export async function checkProofs(
  door: ProofDoor,
  proofs: readonly Proof[],
  question: ProofQuestion,
): Promise<ProofOutcome[]> {
  const outcomes: ProofOutcome[] = []
  for (const proof of proofs) {
    await setImmediate()
    const outcome = await checkOneProof(door, proof, question)
    outcomes.push(outcome)
    if (question.untilFailed && Object.values(outcome.findings).some((finding) => finding.passed === false)) break
  }
  return outcomes
}

async function checkOneProof(door: ProofDoor, proof: Proof, { ownerOf, at }: ProofQuestion): Promise<ProofOutcome> {
  const { shown, checking } = proof
  if (checking.by === 'nobody')
    return { proof: shown, method: undefined, findings: { proof: checking.finding }, keys: new Map() }
  const found = await Promise.all(
    checking.keys.map(async (key) => {
      const created = instantOf(key.signedAt ?? proof.created)
      return [key, await keyAt(door, { ...key, created, at })] as const
    }),
  )
  const strangers = checking.keys.map((key) => ownerFinding(key, ownerOf(key))).filter(({ passed }) => !passed)
  const findings = strangers.length > 0 ? strangers : found.map(([, { finding }]) => finding)
  const { issuerKey } = worstOf(findings.map((finding) => ({ issuerKey: finding })))
  const decided = await decide(door, checking, { found, at })
  const [method] = found.map(([, { method }]) => method)
  return { proof: shown, method, findings: { ...decided, ...(issuerKey && { issuerKey }) }, keys: new Map(found) }
}

type Decidable = Exclude<Proof['checking'], { by: 'nobody' }>

async function decide(
  door: ProofDoor,
  checking: Decidable,
  { found, at }: { found: readonly (readonly [NeededKey, KeyFinding])[]; at: At },
): Promise<Findings> {
  const given: GivenKey[] = []
  for (const [key, { publicKey, finding }] of found) {
    if (publicKey === undefined) return { proof: failed('no_key', finding.detail) }
    const ask = key.half === 'private' ? await askIssuerKey(door, key, publicKey) : notNeeded
    if (typeof ask !== 'function') return { proof: ask }
    given.push({ publicKey, ask })
  }
  const [first, ...others] = given
  return first === undefined ? {} : checking.check([first, ...others], toolsAt(door, at))
}

const toolsAt = ({ tools, statusMethods, index }: ProofDoor, at: At): CheckingTools => ({
  ...tools,
  async accumulatorKey(entry) {
    const key = await statusMethods.ofEntry(entry)?.publicKey?.({ index }, entry, at)
    return key === undefined ? undefined : bytesOf(hexIn(key))
  },
})

const notNeeded: HeldKey = () => Promise.reject(new Error('a proof asks for a private half that it did not need'))

/** Compares the owner of a key with the one that it must have; undefined: anybody may own it. */
export function ownerFinding({ id }: NeededKey, owner: string | undefined): Finding {
  return owner === undefined || id.split('#')[0] === owner
    ? passed()
    : failed('not_the_issuer', 'the key that signed does not belong to who is named in the document')
}
