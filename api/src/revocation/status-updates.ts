import { type ActingKey, actingKeyHere } from '../dids/did.store.js'
import type { CarryingAction, FailedJob, NothingToDo, PlannedAction } from '../ledger/write/job-effects.js'
import type { GivenUp } from '../ledger/write/pending-actions.js'
import { planAgain } from '../ledger/write/plan-actions.js'
import { forgetRefusals, type JobPart } from '../ledger/write/start-job.js'
import type { Tx } from '../platform/database/database.js'
import type { JsonObject } from '../platform/database/tables.js'
import type { Environment } from '../platform/http/context.js'
import { findRegistry } from '../status/registry.store.js'
import type { ChangeByUpdates, Refusal, StatusChange, Update } from '../status/status-method.js'
import { dispatch } from './dispatch.js'

type Action = 'revoke' | 'unrevoke'

/** A change of one registry, as it waits for its turn. */
interface PlannedChange {
  action: Action
  registry: string
  indexes: readonly number[]
}

/** The ledger's word for an update that was made of an older value. */
const OVERTAKEN = 'VersionMismatch'
/** The tries end where somebody else changes the registry all the time, and the caller gets the refusal. */
const MOST_ROUNDS = 20

/** Returns the parts of a job that wait for their turn, in sizes that one update takes. */
export function plansOf({ most }: ChangeByUpdates, did: string, { indexes, ...change }: PlannedChange): JobPart[] {
  const parts: JobPart[] = []
  for (let start = 0; start < indexes.length; start += most) {
    const plan = { ...change, indexes: indexes.slice(start, start + most) }
    parts.push({ did, action: { kind: 'plan', subject: change.registry, plan } })
  }
  return parts
}

function readPlan({ action, registry, indexes }: JsonObject): PlannedChange {
  const isAction = action === 'revoke' || action === 'unrevoke'
  if (!isAction || typeof registry !== 'string' || !Array.isArray(indexes))
    throw new Error('what is planned is no change of a registry')
  return { action, registry, indexes: indexes.map(Number) }
}

/** Makes the update that carries the planned changes of a registry, as many as fit, in the order that they came in. */
export async function planUpdate(
  environment: Environment,
  planned: readonly PlannedAction[],
): Promise<CarryingAction | NothingToDo | GivenUp> {
  const place = await placeOf(environment, planned)
  if ('type' in place) return place
  const { registry, key, change } = place
  const { wanted, carries } = merged(changesIn(planned), change.most)
  const made = await change.update(environment, registry, wanted)
  return madeOf(made, key, carries)
}

/** Makes the update of each planned change of a registry, each of what the one before it leaves. */
export async function foretellUpdates(
  environment: Environment,
  planned: readonly PlannedAction[],
): Promise<(CarryingAction | NothingToDo | GivenUp)[]> {
  const place = await placeOf(environment, planned)
  if ('type' in place) return planned.map(() => place)
  const { registry, key, change } = place
  let after: Update | undefined
  const foretold: (CarryingAction | NothingToDo | GivenUp)[] = []
  for (const one of changesIn(planned)) {
    const made = await change.update(environment, registry, merged([one], change.most).wanted, after)
    foretold.push(madeOf(made, key, 1))
    if (made !== undefined && 'call' in made) after = made
  }
  return foretold
}

const changesIn = (planned: readonly PlannedAction[]): PlannedChange[] => planned.map(({ plan }) => readPlan(plan))

const madeOf = (
  made: Update | Refusal | undefined,
  key: ActingKey,
  carries: number,
): CarryingAction | NothingToDo | GivenUp => {
  if (made === undefined) return { isDone: true, carries }
  return 'refused' in made
    ? { type: 'unavailable', message: made.refused }
    : { action: dispatch(key, made.call), carries }
}

/** The registry of planned changes, with the key that changes it. */
async function placeOf(environment: Environment, planned: readonly PlannedAction[]) {
  const [oldest] = planned
  if (oldest === undefined) throw new Error('nothing is planned')
  const first = readPlan(oldest.plan)
  const { registry, key } = await environment.db.transaction('system', async (tx) => ({
    registry: await findRegistry(tx, first.registry),
    key: await actingKeyHere(tx, oldest.did),
  }))
  const gone = (type: string, message: string): GivenUp => ({ type, message })
  if (registry === undefined) return gone('not_found', `The registry ${first.registry.slice(2)} was removed`)
  if (key === undefined) return gone('conflict', `${oldest.did} can act no more`)
  const { change } = (await environment.loadStatusMethods()).of(registry)
  if (change.by !== 'updates') throw new Error(`registries of type ${registry.type} have no updates`)
  return { registry, key, change }
}

/** Merges changes: the last one of each place counts. */
function merged(changes: readonly PlannedChange[], most: number): { wanted: StatusChange; carries: number } {
  const places = new Map<number, Action>()
  let carries = 0
  for (const { action, indexes } of changes) {
    const size = new Set([...places.keys(), ...indexes]).size
    if (carries > 0 && size > most) break
    for (const index of indexes) places.set(index, action)
    carries += 1
  }
  const placesOf = (wanted: Action) => [...places].flatMap(([index, action]) => (action === wanted ? index : []))
  return { wanted: { revoke: placesOf('revoke'), unrevoke: placesOf('unrevoke') }, carries }
}

/** Plans overtaken changes again: their update was made of a value that is no longer the registry's. */
export async function planOvertakenAgain(tx: Tx, jobs: readonly FailedJob[]): Promise<ReadonlySet<string>> {
  const going = new Set<string>()
  for (const { id, data, parts } of jobs) {
    const round = typeof data.round === 'number' ? data.round : 0
    const isOvertaken = parts.every(({ outcome }) => (outcome.error?.name ?? OVERTAKEN) === OVERTAKEN)
    if (!isOvertaken || round >= MOST_ROUNDS || !(await planAgain(tx, id))) continue
    await forgetRefusals(tx, id, { ...data, round: round + 1 }, false)
    going.add(id)
  }
  return going
}
