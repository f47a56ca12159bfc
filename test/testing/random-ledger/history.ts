import { type ChainEvent, calls, type EncodedCall } from '@accredit/chain'
import { Actor } from './actor.js'
import type { Actors } from './actors.js'
import * as did from './did-actions.js'
import type { LedgerAction, MakeLedgerAction } from './ledger-action.js'
import type { LedgerWriter, Written } from './ledger-writer.js'
import * as registry from './registry-actions.js'
import * as revocation from './revocation-actions.js'

/** Actions and how often they are drawn. */
const OF_REGISTRIES: readonly [weight: number, make: MakeLedgerAction][] = [
  [2, registry.foundRegistry],
  [2, registry.amendRegistry],
  [8, registry.accredit],
  [1, registry.accreditMany],
  [0.5, registry.accreditBriefly],
  [2, registry.openSchema],
  [2, registry.replaceSchema],
  [4, registry.withdraw],
  [4, registry.setPrice],
  [3, registry.leave],
  [6, registry.delegate],
  [5, registry.suspend],
  [4, registry.unsuspend],
  [1, registry.offer],
  [2, registry.acceptOffer],
  [0.4, registry.removeRegistry],
  [0.4, registry.foundBriefly],
  [1.5, did.deactivate],
  [0.6, did.liveBriefly],
]
const OF_IDENTITIES: readonly [weight: number, make: MakeLedgerAction][] = [
  [2, did.addKeys],
  [2, did.rotateOwnKey],
  [0.5, did.rotateTwice],
  [0.5, did.addKeyBriefly],
  [2, did.revokeKeys],
  [2, did.addControllers],
  [1, did.removeControllers],
  [2, did.setService],
  [1, did.removeService],
  [2, revocation.createList],
  [4, revocation.setStatus],
  [4, revocation.updateAccumulator],
  [0.4, revocation.removeList],
  [0.5, revocation.createListBriefly],
]
const ACTIONS = {
  foundations: [[1, registry.foundRegistry]],
  beginnings: [
    [4, registry.accredit],
    [4, registry.accreditMany],
    [3, registry.delegate],
    [1, registry.openSchema],
  ],
  registries: OF_REGISTRIES,
  identities: OF_IDENTITIES,
  everything: [...OF_REGISTRIES, ...OF_IDENTITIES],
} satisfies Record<string, readonly [weight: number, make: MakeLedgerAction][]>

const VALID_FOR_MS = 1_800_000

/**
 * A random history in progress. Commands of fast-check do not fit: they are drawn before the first one runs, while an
 * action here is chosen by the ledger's events so far, and each attempt to shrink a history would take a new ledger and
 * a new index. A failing test tells its seed instead, and the number of blocks is a setting.
 */
export interface RandomHistory {
  readonly actors: Actors
  readonly writer: LedgerWriter
  /** The ledger's clock. */
  now(): number
}

/** Creates an actor for each name, all in one block; about every tenth is a did:key. */
export async function createActors({ actors, writer }: RandomHistory, names: readonly string[]): Promise<Written> {
  const creations: EncodedCall[] = []
  for (const name of names) {
    const isKey = actors.random.chance(0.1)
    const actor = isKey ? Actor.ofKey(actors.random, name) : Actor.ofLedger(actors.random, name)
    const controllers = actors.random.chance(0.2) ? actors.someDids(1) : []
    const services = actors.random.chance(0.3) ? [did.serviceOf(actors, name)] : []
    if (!isKey) creations.push(actor.creation(actors.place, { controllers, services }))
    actors.join(actor)
  }
  const written = await writer.submit(creations)
  actors.hear(written.events)
  return written
}

/** Submits a block of random actions, some of which are refused. */
export async function submitRandomBlock(
  { actors, writer, now }: RandomHistory,
  count: number,
  actions: keyof typeof ACTIONS,
): Promise<Written & { refused: number }> {
  const ahead = new Map<Actor, number>()
  const made: { action: LedgerAction; position: number }[] = []
  const encoded: EncodedCall[] = []
  for (let tried = 0; tried < count * 4 && made.length < count; tried += 1) {
    const action = weighted(actors, ACTIONS[actions])(actors)
    if (action === undefined) continue
    const before = ahead.get(action.by) ?? 0
    // A second action of an actor in a block counts on the first: where that one is refused, this one is too.
    if (before > 0 && actors.random.chance(0.7)) continue
    if (action.creation) encoded.push(action.creation)
    made.push({ action, position: encoded.length })
    ahead.set(action.by, before + 1)
    const options = { ahead: before, validUntil: now() + VALID_FOR_MS }
    encoded.push(action.by.action(actors.place, [...action.calls, ...spoiled(actors)], options))
  }
  const written = await writer.submit(encoded)
  actors.hear(written.events)
  const outcomes = written.events.filter(isOutcome)
  for (const { action, position } of made)
    if (outcomes[position]?.name === 'ItemCompleted') action.done?.(written.events)
  return { ...written, refused: outcomes.filter(({ name }) => name === 'ItemFailed').length }
}

/** Has root give a registry to another convener, as it does when a convener is gone. */
export async function transferAsRoot({ actors, writer }: RandomHistory): Promise<Written | undefined> {
  const [registryId, newConvener] = [actors.anyRegistry()?.id, actors.anyone()?.did]
  if (registryId === undefined || newConvener === undefined) return undefined
  const written = await writer.submitAsRoot(calls.trustRegistry.transfer({ registryId, newConvener }))
  actors.hear(written.events)
  return written
}

/** Adds, at times, a last call that is refused and takes the whole action with it. */
function spoiled({ random }: Actors): EncodedCall[] {
  return random.chance(0.05) ? [calls.revocation.remove({ registryId: random.hex32() })] : []
}

function weighted({ random }: Actors, choices: readonly [weight: number, make: MakeLedgerAction][]): MakeLedgerAction {
  const total = choices.reduce((sum, [weight]) => sum + weight, 0)
  let left = (random.below(1_000_000) / 1_000_000) * total
  for (const [weight, make] of choices) {
    left -= weight
    if (left < 0) return make
  }
  throw new RangeError('weights sum up to their total')
}

function isOutcome({ pallet, name }: ChainEvent): boolean {
  return pallet === 'Utility' && (name === 'ItemCompleted' || name === 'ItemFailed')
}
