import { createHash } from 'node:crypto'
import { calls, type Hex, parseHex32 } from '@accredit/chain'
import { type Finding, failed, passed } from '../../formats/check.js'
import { type JsonObject, textOf } from '../../formats/json.js'
import { type At, resolveAt } from '../../ledger/read/at.js'
import { setBitsAt } from '../../ledger/read/set-bits.js'
import { type RevocationRegistryState, revocationRegistryAt } from '../../ledger/read/status-list.js'
import { ledgerId } from '../bit-calls.js'
import { bookDrawn } from '../entries.store.js'
import type { RegistryRow } from '../registry.store.js'
import { missingRegistry } from '../registry-standing.js'
import type {
  Asked,
  CheckingDoor,
  MakingDoor,
  Place,
  Refusal,
  StatusChange,
  StatusMethod,
  Update,
  Witness,
  WitnessQuestion,
} from '../status-method.js'

const TYPE = 'MadeUpAccumulator'

/**
 * A method of no standard, for tests: the ledger holds a value of which each member has a witness, and every change is
 * a new value.
 */
export const madeUpMethod: StatusMethod = {
  registryType: TYPE,
  isDeprecated: false,
  ledgerKind: 'Accumulator',
  reads: ({ type }) => type === TYPE,
  context: undefined,
  length: 1000,
  purposes: ['revocation'],
  create: async () => ({ Accumulator: { publicKey: '0x01', accumulated: accumulatedOf([]) } }),
  allocate: bookDrawn,
  async entry(door, { id }, index) {
    const state = await stateOf(door, id)
    return { type: TYPE, registry: id, index, witness: witnessOf(state?.accumulated ?? accumulatedOf([]), index) }
  },
  change: { by: 'updates', most: 1000, update },
  wrongIn: (entry) => (placeOf(entry) ? undefined : 'the status entry names no registry and index'),
  placeOf: (_config, entry) => placeOf(entry),
  claimedPlaces(_config, entry) {
    const place = placeOf(entry)
    return place ? [{ uri: place.registryId, registryId: place.registryId }] : []
  },
  check,
  witness,
}

const sha256 = (text: string): Hex => `0x${createHash('sha256').update(text).digest('hex')}`
const accumulatedOf = (removed: readonly number[]): Hex => sha256(JSON.stringify([...removed].sort((a, b) => a - b)))
const witnessOf = (value: string, index: number): Hex => sha256(`${value} ${index}`)

const headOf = ({ index, clock }: MakingDoor): Promise<At> => resolveAt(index, undefined, clock)

const stateOf = async (door: MakingDoor, id: string): Promise<RevocationRegistryState | undefined> =>
  revocationRegistryAt(door.index, id, await headOf(door))

function placeOf({ registry, index }: JsonObject): Place | undefined {
  const registryId = parseHex32(textOf(registry) ?? '')
  return registryId !== undefined && typeof index === 'number' ? { registryId, index } : undefined
}

async function update(
  door: MakingDoor,
  registry: RegistryRow,
  { revoke, unrevoke }: StatusChange,
  after?: Update,
): Promise<Update | undefined> {
  const at = await headOf(door)
  const everyone = Array.from({ length: registry.length }, (_, index) => ({ registry_id: registry.id, index }))
  const set = await setBitsAt(door.index, everyone, at)
  const removed = new Set([...set].map((key) => Number(key.split('#')[1])))
  for (const [index, isRemoved] of after?.changed ?? []) isRemoved ? removed.add(index) : removed.delete(index)
  const removals = revoke.filter((index) => !removed.has(index))
  const additions = unrevoke.filter((index) => removed.has(index))
  for (const index of removals) removed.add(index)
  for (const index of additions) removed.delete(index)
  if (removals.length + additions.length === 0) return undefined
  const version = after?.version ?? (await stateOf(door, registry.id))?.version ?? 0
  const accumulated = accumulatedOf([...removed])
  const call = calls.revocation.updateAccumulator({
    registryId: ledgerId(registry.id),
    expectedVersion: version,
    accumulated,
    additions,
    removals,
    witnessUpdateInfo: '0x',
  })
  const changes = [...removals, ...additions].map((index) => [index, removed.has(index)] as const)
  return { call, accumulated, version: version + 1, changed: new Map([...(after?.changed ?? []), ...changes]) }
}

async function witness(
  door: MakingDoor,
  { registryId, accumulated, version, changedBlock }: RevocationRegistryState,
  index: number,
  { at }: WitnessQuestion,
): Promise<Witness | Refusal> {
  const set = await setBitsAt(door.index, [{ registry_id: registryId, index }], at)
  return set.size > 0
    ? { refused: 'It was revoked, and has no witness' }
    : {
        value: witnessOf(accumulated ?? '', index),
        accumulated: accumulated ?? '',
        version,
        block: changedBlock,
      }
}

async function check(door: CheckingDoor, entry: JsonObject, { at, isDerived }: Asked): Promise<Finding> {
  if (isDerived && 'accumulated' in entry) return checkMembership(door, entry, at)
  const place = placeOf(entry)
  if (place === undefined) return failed('malformed', 'the status entry names no registry and index')
  const { registryId, index } = place
  const state = await revocationRegistryAt(door.index, registryId, at)
  if (state === undefined) return missingRegistry(door, registryId, at)
  const { block } = at
  if ((await setBitsAt(door.index, [{ registry_id: registryId, index }], at)).size > 0)
    return failed('revoked', 'it is revoked', { block })
  return entry.witness === witnessOf(state.accumulated ?? '', index)
    ? passed({ block })
    : failed('stale_witness', 'its witness is of another value', { block })
}

/** A holder proves that it is a member of a value, and not which one: the value has to be that of the ledger. */
async function checkMembership(door: CheckingDoor, entry: JsonObject, at: At): Promise<Finding> {
  const registryId = parseHex32(textOf(entry.registry) ?? '')
  if (registryId === undefined) return failed('malformed', 'the status entry names no registry')
  const state = await revocationRegistryAt(door.index, registryId, at)
  if (state === undefined) return missingRegistry(door, registryId, at)
  const { block } = at
  return entry.accumulated === state.accumulated
    ? passed({ block })
    : failed('stale_witness', 'it proves to be a member of another value', { block })
}
