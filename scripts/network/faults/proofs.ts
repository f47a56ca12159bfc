import { ProofRefusal, type ProvenAnswer, verifyProof } from '@accredit/chain/proof'
import { Refusal } from '../../start/refusal.js'
import { requireState } from '../network-state.js'
import type { Scene } from './fault.js'
import { type Authorization, authorizationPath } from './judges/ecosystem.js'
import { accepted } from './requests.js'
import { TOLD_WITHIN_MS, until } from './waiting.js'

/** A bundle as the product gave it, and what it proves from the hash of the genesis that was computed here. */
export interface Proven {
  text: string
  /** The changes of validators through which it leads. */
  handOvers: number
  proven: ProvenAnswer
}

interface Bundle {
  genesisHash: string
  handOvers: unknown[]
}

/** Asks the product for a proof whether the ecosystem's issuer may issue, now or at a block. */
export const bundleAt = ({ product, ecosystem }: Scene, at?: number): Promise<Bundle> =>
  accepted(product, 'GET', authorizationPath(ecosystem, ecosystem.issuer, at).replace('?', '/proof?'))

/** Has the product prove whether the ecosystem's issuer may issue, now or at a block. Throws where it is not proved. */
export async function provenAt(scene: Scene, at?: number): Promise<Proven> {
  const { genesisHash } = await requireState(scene.stateDir)
  const bundle = await bundleAt(scene, at)
  const text = JSON.stringify(bundle)
  return { text, handOvers: bundle.handOvers.length, proven: verifyProof(text, genesisHash) }
}

/** A change of the network: the last final block of before, and one at which the change is in effect. */
export interface Change {
  before: number
  after: number
  /** The number of times that validators handed over to others. */
  handOvers: number
}

/** Waits until the product's answers of the present stand on a block or a later one. */
export const untilStandingOn = ({ product }: Scene, block: number): Promise<void> =>
  until(
    `the product stands on block ${block}`,
    async () => {
      const { present } = await accepted<{ present: { block: number } }>(product, 'GET', '/ledger/status')
      return present.block >= block
    },
    TOLD_WITHIN_MS,
  )

/**
 * Has the product prove an answer of the present, which is behind a change, and two of the past, which are before it and
 * one of which is another one; and checks that no bundle proves anything about another genesis.
 */
export async function requireProofs(scene: Scene, { before, after, handOvers }: Change): Promise<string> {
  const { ecosystem } = scene
  await untilStandingOn(scene, after)
  const [now, earlier] = [await provenAt(scene), await provenAt(scene, before)]
  const suspended = await provenAt(scene, ecosystem.suspendedAt)
  require(now.proven.block.number >= after, `a proof of the present is not behind block ${after}`, now)
  require(earlier.proven.block.number === before, `a proof is not of block ${before}`, earlier)
  require(now.handOvers === earlier.handOvers + handOvers, `the proof of now has not ${handOvers} hand-overs more`, now)
  for (const [one, reason] of [
    [now, 'direct'],
    [earlier, 'direct'],
    [suspended, 'suspended'],
  ] as const) {
    await requireSameAnswer(scene, one, reason)
    requireNoOtherGenesis(one)
  }
  return `proved with ${now.handOvers} hand-overs now, with ${earlier.handOvers} at block ${before}, and with ${suspended.handOvers} while the issuer was suspended`
}

/** Refuses a proof of another answer than the one that the product gives without a proof, and than is known here. */
async function requireSameAnswer({ product, ecosystem }: Scene, one: Proven, reason: string): Promise<void> {
  const { answer, block } = one.proven
  const path = authorizationPath(ecosystem, ecosystem.issuer, block.number)
  const told = await accepted<Authorization>(product, 'GET', path)
  const isSame =
    answer.kind === 'authorization' &&
    answer.reason === reason &&
    told.reason === reason &&
    told.authorized === answer.authorized &&
    told.block === block.number &&
    Date.parse(told.time) === Date.parse(block.time)
  require(isSame, `the product answers ${JSON.stringify(told)} without a proof, and is to say '${reason}'`, one)
}

/** Refuses a bundle that proves something about a ledger with another genesis, also where it says that it is of that one. */
function requireNoOtherGenesis(one: Proven): void {
  const { genesisHash } = one.proven
  const other = genesisHash.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'))
  const renamed = JSON.stringify({ ...JSON.parse(one.text), genesisHash: other })
  require(refusalOf(one.text, other) === 'other_genesis', 'a bundle proves something about another genesis', one)
  require(refusalOf(renamed, other) === 'wrong_genesis_header', 'a bundle that names another genesis proves it', one)
}

function refusalOf(text: string, genesisHash: string): string | undefined {
  try {
    verifyProof(text, genesisHash)
    return undefined
  } catch (error) {
    if (error instanceof ProofRefusal) return error.reason
    throw error
  }
}

function require(isSo: boolean, what: string, { proven }: Proven): void {
  const { answer, block } = proven
  if (!isSo) throw new Refusal(`Of the proof of ${JSON.stringify(answer)} at block ${block.number}: ${what}.`)
}
