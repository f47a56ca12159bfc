import { calls, hexOf } from '@accredit/chain'
import type { Actor } from './actor.js'
import type { Actors, KnownList } from './actors.js'
import type { MakeLedgerAction } from './ledger-action.js'

const LENGTH = 131_072
/** The indexes are so few that the same ones are revoked and unrevoked again; they lie in two chunks of the ledger. */
const INDEXES = 24
const { revocation } = calls

export const createList: MakeLedgerAction = (actors) => {
  const by = actors.anyone()
  return by && { by, calls: [revocation.create(someList(actors, by))] }
}

/** Creates, changes and removes a list within one action: it is a tombstone from its first block on. */
export const createListBriefly: MakeLedgerAction = (actors) => {
  const { random } = actors
  const by = actors.anyone()
  if (by === undefined) return undefined
  const list = { ...someList(actors, by), addOnly: false }
  const { registryId, kind } = list
  const update = { expectedVersion: 0, accumulated: hexOf(random.bytes(48)), witnessUpdateInfo: '0x00' as const }
  const change =
    'StatusList' in kind
      ? revocation.setStatus({ registryId, revoke: [random.below(LENGTH)], unrevoke: [] })
      : revocation.updateAccumulator({ registryId, ...update, additions: [1_000], removals: [0] })
  return {
    by,
    calls: [revocation.create(list), ...(random.chance(0.5) ? [change] : []), revocation.remove({ registryId })],
  }
}

function someList(actors: Actors, by: Actor) {
  const { random } = actors
  const value = () => hexOf(random.bytes(48))
  const kind = random.chance(0.5)
    ? { StatusList: { length: LENGTH } }
    : { Accumulator: { publicKey: value(), accumulated: value() } }
  const policy = [by.did, ...(random.chance(0.5) ? actors.someDids(2) : [])]
  return { registryId: random.hex32(), policy, addOnly: random.chance(0.3), kind }
}

export const setStatus: MakeLedgerAction = (actors) =>
  asMember(actors, false, (list) => {
    const { random } = actors
    const revoke = someIndexes(actors, list)
    const unrevoke = random.chance(0.5) ? random.some([...list.revoked], 2).filter((bit) => !revoke.includes(bit)) : []
    return [revocation.setStatus({ registryId: list.id, revoke, unrevoke })]
  })

/** Adds and removes members, some of whom had been removed before. */
export const updateAccumulator: MakeLedgerAction = (actors) =>
  asMember(actors, true, (list) => {
    const { random } = actors
    const removals = someIndexes(actors, list).filter((index) => !list.revoked.has(index))
    const returning = random.chance(0.4) ? random.some([...list.revoked], 2) : []
    const additions = [...returning, 1_000 + random.below(1_000)]
    const [accumulated, witnessUpdateInfo] = [hexOf(random.bytes(48)), hexOf(random.bytes(random.below(200)))]
    const expectedVersion = list.version - (random.chance(0.05) ? 1 : 0)
    const update = { registryId: list.id, expectedVersion: Math.max(0, expectedVersion), accumulated }
    return [revocation.updateAccumulator({ ...update, additions, removals, witnessUpdateInfo })]
  })

export const removeList: MakeLedgerAction = (actors) =>
  asMember(actors, actors.random.chance(0.5), ({ id: registryId }) => [revocation.remove({ registryId })])

function someIndexes({ random }: Actors, { isAccumulator }: KnownList): number[] {
  const indexes = Array.from({ length: INDEXES }, (_, index) => (index % 2 === 0 ? index : LENGTH - index))
  return random.some(isAccumulator ? indexes.filter((index) => index < INDEXES) : indexes, 4)
}

function asMember(
  actors: Actors,
  isAccumulator: boolean,
  make: (list: KnownList) => ReturnType<typeof revocation.remove>[],
): ReturnType<MakeLedgerAction> {
  const { random } = actors
  const lists = [...actors.lists.values()].filter((list) => !list.isRemoved && list.isAccumulator === isAccumulator)
  const list = random.of(lists)
  const member = list && random.of(list.policy.flatMap((did) => actors.byDid.get(did) ?? []))
  return list && member && { by: member, calls: make(list) }
}
