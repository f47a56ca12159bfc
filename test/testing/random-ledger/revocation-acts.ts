import { calls, hexOf } from '@accredit/chain'
import type { MakeAct } from './act.js'
import type { Person } from './actor.js'
import type { KnownList, Society } from './actors.js'

const LENGTH = 131_072
/** Few enough that the same ones are revoked and unrevoked again, in two chunks of the ledger. */
const INDEXES = 24
const { revocation } = calls

export const createList: MakeAct = (society) => {
  const by = society.anyone()
  return by && { by, calls: [revocation.create(someList(society, by))] }
}

/** Created, changed and removed within one action: a tombstone from its first block on. */
export const createListBriefly: MakeAct = (society) => {
  const { dice } = society
  const by = society.anyone()
  if (by === undefined) return undefined
  const list = { ...someList(society, by), addOnly: false }
  const { registryId, kind } = list
  const update = { expectedVersion: 0, accumulated: hexOf(dice.bytes(48)), witnessUpdateInfo: '0x00' as const }
  const change =
    'StatusList' in kind
      ? revocation.setStatus({ registryId, revoke: [dice.below(LENGTH)], unrevoke: [] })
      : revocation.updateAccumulator({ registryId, ...update, additions: [1_000], removals: [0] })
  return {
    by,
    calls: [revocation.create(list), ...(dice.chance(0.5) ? [change] : []), revocation.remove({ registryId })],
  }
}

function someList(society: Society, by: Person) {
  const { dice } = society
  const value = () => hexOf(dice.bytes(48))
  const kind = dice.chance(0.5)
    ? { StatusList: { length: LENGTH } }
    : { Accumulator: { publicKey: value(), accumulated: value() } }
  const policy = [by.did, ...(dice.chance(0.5) ? society.someDids(2) : [])]
  return { registryId: dice.hex32(), policy, addOnly: dice.chance(0.3), kind }
}

export const setStatus: MakeAct = (society) =>
  asMember(society, false, (list) => {
    const { dice } = society
    const revoke = someIndexes(society, list)
    const unrevoke = dice.chance(0.5) ? dice.some([...list.revoked], 2).filter((bit) => !revoke.includes(bit)) : []
    return [revocation.setStatus({ registryId: list.id, revoke, unrevoke })]
  })

/** Members come, members go, and some who went come again. */
export const updateAccumulator: MakeAct = (society) =>
  asMember(society, true, (list) => {
    const { dice } = society
    const removals = someIndexes(society, list).filter((index) => !list.revoked.has(index))
    const returning = dice.chance(0.4) ? dice.some([...list.revoked], 2) : []
    const additions = [...returning, 1_000 + dice.below(1_000)]
    const [accumulated, witnessUpdateInfo] = [hexOf(dice.bytes(48)), hexOf(dice.bytes(dice.below(200)))]
    const expectedVersion = list.version - (dice.chance(0.05) ? 1 : 0)
    const update = { registryId: list.id, expectedVersion: Math.max(0, expectedVersion), accumulated }
    return [revocation.updateAccumulator({ ...update, additions, removals, witnessUpdateInfo })]
  })

export const removeList: MakeAct = (society) =>
  asMember(society, society.dice.chance(0.5), ({ id: registryId }) => [revocation.remove({ registryId })])

function someIndexes({ dice }: Society, { isAccumulator }: KnownList): number[] {
  const indexes = Array.from({ length: INDEXES }, (_, index) => (index % 2 === 0 ? index : LENGTH - index))
  return dice.some(isAccumulator ? indexes.filter((index) => index < INDEXES) : indexes, 4)
}

function asMember(
  society: Society,
  isAccumulator: boolean,
  make: (list: KnownList) => ReturnType<typeof revocation.remove>[],
): ReturnType<MakeAct> {
  const { dice } = society
  const lists = [...society.lists.values()].filter((list) => !list.isRemoved && list.isAccumulator === isAccumulator)
  const list = dice.of(lists)
  const member = list && dice.of(list.policy.flatMap((did) => society.people.get(did) ?? []))
  return list && member && { by: member, calls: make(list) }
}
