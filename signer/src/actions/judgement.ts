/** Judges the actions in a block. Pure, except that it asks for the open actions of a DID. */
import { hexOf } from '@accredit/chain'
import type { Outcome, PalletError } from '../server/wire.js'
import { type Effect, type ItemOutcome, verdictOf } from './outcomes.js'
import type { ActionRow, Settlement } from './pipeline.store.js'

export interface Judgement {
  settlements: Settlement[]
  again: string[]
  /** The items of a batch that failed as a whole: they travel alone next time. */
  alone: string[]
  /** The names of the errors for which authorisations are signed afresh. */
  untimely: string[]
}

export const nothingYet = (): Judgement => ({ settlements: [], again: [], alone: [], untimely: [] })

/** The part of an action that its judgement needs. */
export type JudgedAction = Pick<
  ActionRow,
  'id' | 'did' | 'sequence' | 'content' | 'position' | 'transaction_version' | 'nonce' | 'call_hash' | 'encoded_tx'
>

export interface CarriedItems<Action extends JudgedAction> {
  /** The actions that the extrinsic carries, in the order of its items. */
  actions: readonly Action[]
  outcomes: ItemOutcome[] | PalletError
  place: Outcome
  /** The ledger's transaction version, for which authorisations are signed. */
  transactionVersion: number
  /** Returns the ids of the earlier actions of its DID that have not come to their end, as far as they are stored. */
  openBefore(action: Action): Promise<string[]>
}

/** Judges the actions of one extrinsic. Throws where the ledger has no outcome of an item. */
export async function judgeItems<Action extends JudgedAction>(items: CarriedItems<Action>, judgement: Judgement) {
  const { actions, outcomes } = items
  const isWhole = !Array.isArray(outcomes)
  for (const action of actions) {
    if (isWhole && actions.length > 1) judgement.alone.push(action.id)
    else {
      const { error } = isWhole ? { error: outcomes } : outcomeAt(outcomes, action)
      await judge(items, action, error, judgement)
    }
  }
}

/** The place is the one it was given: others that travelled with it may have left since. */
function outcomeAt(outcomes: ItemOutcome[], { id, position }: JudgedAction): ItemOutcome {
  const outcome = outcomes[position ?? -1]
  if (outcome === undefined) throw new Error(`The ledger tells no outcome of action ${id} at place ${position}.`)
  return outcome
}

async function judge<Action extends JudgedAction>(
  items: CarriedItems<Action>,
  action: Action,
  error: PalletError | undefined,
  judgement: Judgement,
) {
  const outcome: Outcome = { ...items.place, ...signedPart(action) }
  const settle = (state: 'final' | 'refused', how: Outcome): void => {
    judgement.settlements.push({ id: action.id, state, outcome: how })
  }
  if (error === undefined) return settle('final', outcome)
  const { kind } = action.content
  const verdict = verdictOf(kind, error, action.transaction_version !== items.transactionVersion)
  if (verdict === 'final') return settle('final', outcome)
  if (verdict === 'again' || (await isEarly(items, action, judgement))) {
    judgement.again.push(action.id)
    if (kind !== 'authorised') judgement.untimely.push(error.name)
    return
  }
  settle('refused', { ...outcome, error })
}

/** An earlier action of its DID will be sent again: after that one this one may well succeed. */
async function isEarly<Action extends JudgedAction>(
  { openBefore }: CarriedItems<Action>,
  action: Action,
  { settlements }: Judgement,
): Promise<boolean> {
  const settled = new Set(settlements.map(({ id }) => id))
  return (await openBefore(action)).some((id) => !settled.has(id))
}

/** Tells whether an effect is what an action was to do. */
export function isDoneBy(
  { content, nonce: signedNonce }: Pick<JudgedAction, 'content' | 'nonce'>,
  effect: Pick<Effect, 'action'>,
  callHashOf: (calls: readonly string[]) => string,
): boolean {
  if (content.kind === 'create') return effect.action === undefined
  if (effect.action === undefined) return false
  const nonce = content.kind === 'authorised' ? content.nonce : signedNonce
  const isSameNonce = nonce === null || nonce === effect.action.nonce
  return isSameNonce && callHashOf(content.calls) === effect.action.callHash
}

function signedPart(action: JudgedAction): Outcome {
  const part: Outcome = {}
  if (action.nonce !== null) part.nonce = action.nonce
  if (action.call_hash !== null) part.callHash = hexOf(action.call_hash)
  if (action.encoded_tx !== null) part.encodedTx = hexOf(action.encoded_tx)
  return part
}
