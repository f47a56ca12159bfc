import { calls } from '@accredit/chain'
import { hexIn } from '@accredit/chain/bytes'
import { accumulatorVersion, isRemovedAt, removedAmong } from '../../ledger/read/accumulators.js'
import { resolveAt } from '../../ledger/read/at.js'
import { type RevocationRegistryState, revocationRegistryAt } from '../../ledger/read/status-list.js'
import { ledgerId } from '../bit-calls.js'
import type { RegistryRow } from '../registry.store.js'
import type { MakingDoor, Refusal, StatusChange, Update, Witness, WitnessQuestion } from '../status-method.js'
import { FIRST_VALUE, isIdentity } from './entry.js'
import { keyRefOf } from './keys.js'

const NO_KEY: Refusal = { refused: 'The key of the accumulator is not here' }
const IDENTITY: Refusal = {
  refused: 'Everything is a member of the value of the accumulator, so that it tells nothing',
}

type Changed = Pick<RevocationRegistryState, 'accumulated' | 'publicKey' | 'version' | 'isRemoved'>
const NEW: Changed = { accumulated: FIRST_VALUE, publicKey: null, version: 0, isRemoved: false }

/**
 * Returns the update that removes members, or adds them again: what is removed already, and what was never removed, is
 * left as it is. Adding what was not removed would bring an old value back, and with it the witnesses of what was
 * removed since.
 */
export async function update(
  door: MakingDoor,
  { id, status }: Pick<RegistryRow, 'id' | 'status'>,
  { revoke, unrevoke }: StatusChange,
  after?: Update,
): Promise<Update | Refusal | undefined> {
  const at = await resolveAt(door.index, undefined, door.clock)
  // Before its registry is on the ledger a change waits behind it.
  const state: Changed | undefined =
    (await revocationRegistryAt(door.index, id, at)) ?? (status === 'pending' ? NEW : undefined)
  if (state === undefined || state.accumulated === null || state.isRemoved)
    return { refused: 'The accumulator is not on the ledger' }
  const { accumulated, version, changed } = after ?? { ...state, accumulated: state.accumulated, changed: new Map() }
  const removed = await removedAmong(door.index, id, [...revoke, ...unrevoke], at)
  const isRemoved = (index: number): boolean => changed.get(index) ?? removed.has(index)
  const removals = revoke.filter((index) => !isRemoved(index))
  const additions = unrevoke.filter(isRemoved)
  if (removals.length + additions.length === 0) return undefined
  if (isIdentity(accumulated)) return IDENTITY
  const keyRef = await keyRefOf(door, id, state.publicKey)
  if (keyRef === undefined) return NO_KEY
  const made = await door.signer.accumulator.update({ keyRef, accumulated, additions, removals })
  const next = hexIn(made.accumulated)
  const changes = new Map([
    ...removals.map((one) => [one, true] as const),
    ...additions.map((one) => [one, false] as const),
  ])
  return {
    call: calls.revocation.updateAccumulator({
      registryId: ledgerId(id),
      expectedVersion: version,
      accumulated: next,
      additions,
      removals,
      witnessUpdateInfo: hexIn(made.witnessUpdateInfo),
    }),
    accumulated: next,
    version: version + 1,
    changed: new Map([...changed, ...changes]),
  }
}

/** Returns the witness of an index in a version, where it was not removed: the key would make one of that too. */
export async function witness(
  door: MakingDoor,
  registry: RevocationRegistryState,
  index: number,
  { at, version }: WitnessQuestion,
): Promise<Witness | Refusal> {
  const { registryId, publicKey } = registry
  const of = await versionOf(door, registry, { at, version })
  if (of === undefined) return { refused: `The registry has no version ${version} at that point` }
  if (isIdentity(of.accumulated)) return IDENTITY
  const isRemoved =
    version === undefined
      ? (await removedAmong(door.index, registryId, [index], at)).has(index)
      : await isRemovedAt(door.index, registryId, { ...of, index })
  if (isRemoved) return { refused: 'It is revoked in that version, and has no witness' }
  const keyRef = await keyRefOf(door, registryId, publicKey)
  if (keyRef === undefined) return NO_KEY
  const { accumulated } = of
  const [value] = await door.signer.accumulator.witness({ keyRef, accumulated, members: [index] })
  if (value === undefined) throw new TypeError('the signer gave no witness')
  return { value, ...of }
}

async function versionOf({ index }: MakingDoor, registry: RevocationRegistryState, { at, version }: WitnessQuestion) {
  const { registryId, accumulated, changedBlock } = registry
  if (version !== undefined) return accumulatorVersion(index, registryId, { version, block: at.block })
  return accumulated === null ? undefined : { accumulated, version: registry.version, block: changedBlock }
}
