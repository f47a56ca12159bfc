import { type ChainEvent, calls, type EncodedCall } from '@accredit/chain'
import type { Act, MakeAct } from './act.js'
import { Person } from './actor.js'
import type { Society } from './actors.js'
import * as did from './did-acts.js'
import type { LedgerWriter, Written } from './ledger-writer.js'
import * as registry from './registry-acts.js'
import * as revocation from './revocation-acts.js'

/** How often what is done. */
const OF_REGISTRIES: readonly [weight: number, make: MakeAct][] = [
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
const OF_IDENTITIES: readonly [weight: number, make: MakeAct][] = [
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
const ACTS = {
  foundations: [[1, registry.foundRegistry]],
  beginnings: [
    [4, registry.accredit],
    [4, registry.accreditMany],
    [3, registry.delegate],
    [1, registry.openSchema],
  ],
  registries: OF_REGISTRIES,
  everything: [...OF_REGISTRIES, ...OF_IDENTITIES],
} satisfies Record<string, readonly [weight: number, make: MakeAct][]>

const VALID_FOR_MS = 1_800_000

export interface RandomHistory {
  readonly society: Society
  readonly writer: LedgerWriter
  /** The ledger's clock. */
  now(): number
}

/** Creates people, many in a block, and gives every tenth a did:key instead. */
export async function settle({ society, writer }: RandomHistory, names: readonly string[]): Promise<Written> {
  const creations: EncodedCall[] = []
  for (const name of names) {
    const isKey = society.dice.chance(0.1)
    const person = isKey ? Person.ofKey(society.dice, name) : Person.ofLedger(society.dice, name)
    const controllers = society.dice.chance(0.2) ? society.someDids(1) : []
    const services = society.dice.chance(0.3) ? [did.serviceOf(society, name)] : []
    if (!isKey) creations.push(person.creation(society.place, { controllers, services }))
    society.join(person)
  }
  const written = await writer.submit(creations)
  society.hear(written.events)
  return written
}

/** One block in which people act at random, and some of them in vain. */
export async function happen(
  { society, writer, now }: RandomHistory,
  count: number,
  acts: keyof typeof ACTS,
): Promise<Written & { refused: number }> {
  const ahead = new Map<Person, number>()
  const made: { act: Act; position: number }[] = []
  const encoded: EncodedCall[] = []
  for (let tried = 0; tried < count * 4 && made.length < count; tried += 1) {
    const act = weighted(society, ACTS[acts])(society)
    if (act === undefined) continue
    const before = ahead.get(act.by) ?? 0
    // Who acts twice in a block counts on his first action; at times it is refused, and so is the second one then.
    if (before > 0 && society.dice.chance(0.7)) continue
    if (act.birth) encoded.push(act.birth)
    made.push({ act, position: encoded.length })
    ahead.set(act.by, before + 1)
    const options = { ahead: before, validUntil: now() + VALID_FOR_MS }
    encoded.push(act.by.action(society.place, [...act.calls, ...spoiled(society)], options))
  }
  const written = await writer.submit(encoded)
  society.hear(written.events)
  const outcomes = written.events.filter(isOutcome)
  for (const { act, position } of made) if (outcomes[position]?.name === 'ItemCompleted') act.done?.(written.events)
  return { ...written, refused: outcomes.filter(({ name }) => name === 'ItemFailed').length }
}

/** Root gives a registry to somebody, as it does when its convener is gone. */
export async function reassign({ society, writer }: RandomHistory): Promise<Written | undefined> {
  const [registryId, newConvener] = [society.anyRegistry()?.id, society.anyone()?.did]
  if (registryId === undefined || newConvener === undefined) return undefined
  const written = await writer.submitAsRoot(calls.trustRegistry.transfer({ registryId, newConvener }))
  society.hear(written.events)
  return written
}

/** A last call that is refused, and with it everything before it in the action. */
function spoiled({ dice }: Society): EncodedCall[] {
  return dice.chance(0.05) ? [calls.revocation.remove({ registryId: dice.hex32() })] : []
}

function weighted({ dice }: Society, choices: readonly [weight: number, make: MakeAct][]): MakeAct {
  const total = choices.reduce((sum, [weight]) => sum + weight, 0)
  let left = (dice.below(1_000_000) / 1_000_000) * total
  for (const [weight, make] of choices) {
    left -= weight
    if (left < 0) return make
  }
  throw new RangeError('weights sum up to their total')
}

function isOutcome({ pallet, name }: ChainEvent): boolean {
  return pallet === 'Utility' && (name === 'ItemCompleted' || name === 'ItemFailed')
}
