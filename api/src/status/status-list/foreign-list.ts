import { type Finding, failed, unavailable } from '../../formats/check.js'
import { MOST_LIST_BYTES } from '../../formats/json-ld/status-lists.js'
import { AHEAD_MS } from '../../ledger/read/instant.js'
import { FairQueue } from '../../platform/process/fair-queue.js'
import { FetchRefused } from '../../platform/security/guarded-fetch.js'
import type { Asked, CheckingDoor } from '../status-method.js'
import { foreignLists } from './foreign-list-cache.js'
import type { ListEntry, ListForm, Statuses } from './list-form.js'

const LIMITS = { maxBytes: MOST_LIST_BYTES, timeoutMs: 5_000 }

/** Fetches of all teams: a slow host costs its caller places, and nobody else. */
const turns = new FairQueue({ running: 32, runningPerKey: 8, waiting: 256, waitingPerCaller: 64 })

/**
 * Looks into a status list that stands elsewhere: fetched now or a moment ago, its own signature checked each time, and
 * of the present only, since nobody there says what it was.
 */
export async function checkForeignStatus(
  form: ListForm,
  door: CheckingDoor,
  entry: ListEntry,
  asked: Asked,
): Promise<Finding> {
  const { at } = asked
  const isPresent = at.isHead && at.instant.getTime() + AHEAD_MS >= door.clock.now().getTime()
  if (!isPresent) return unavailable('a status list that stands elsewhere cannot be read as of the past')
  const statuses = await statusesOf(form, door, entry, asked)
  if (typeof statuses === 'string') return unavailable(`the status list ${entry.list.slice(0, 200)} ${statuses}`)
  const status = statuses.at(entry.index)
  if (status === undefined) return failed('index_out_of_range', 'its index lies outside the status list')
  return statuses.find(status)
}

/** Returns the statuses of a list, or its fault. A kept list that is no longer good is fetched again. */
async function statusesOf(
  form: ListForm,
  door: CheckingDoor,
  entry: ListEntry,
  question: Asked,
): Promise<Statuses | string> {
  const [url = ''] = entry.list.split('#')
  const lists = foreignLists(door)
  const asked = { now: door.clock.now(), maxAgeMs: question.maxAgeMs }
  const look = (bytes: Buffer) => read(form, door, bytes, { entry, asked: question })
  const kept = lists.find(url, asked)
  const known = kept && (await look(kept))
  if (typeof known === 'object') return known.statuses
  const limits = { ...LIMITS, accept: form.accept }
  const fetch = () => turns.run(`team ${door.team}`, () => door.guardedFetch(url, limits))
  try {
    return await lists.fetchOnce(url, asked, fetch, async (fetched) => {
      const found = await look(fetched.bytes)
      if (typeof found === 'string') return found
      lists.keep(url, fetched, found.ttlMs)
      return found.statuses
    })
  } catch (error) {
    if (error instanceof FetchRefused) return `cannot be had: ${error.message}`
    throw error
  }
}

interface GoodList {
  statuses: Statuses
  ttlMs: number | undefined
}

async function read(
  form: ListForm,
  door: CheckingDoor,
  bytes: Buffer,
  { entry, asked }: { entry: ListEntry; asked: Asked },
): Promise<GoodList | string> {
  const list = form.readList(bytes, entry)
  if (typeof list === 'string') return list
  const { issuer, document, signed, ttlMs } = list
  if (issuer === undefined) return untrusted('it names no issuer')
  if (!asked.keepers.has(issuer))
    return untrusted('it is not of the issuer of the credential, nor of a controller of its DID')
  const wrong = await door.distrust(document, issuer, asked.at, signed)
  if (wrong !== undefined) return untrusted(wrong)
  const statuses = await list.unpack()
  return typeof statuses === 'string' ? statuses : { statuses, ttlMs }
}

/** The fault of a list that is there. */
export const untrusted = (why: string): string => `cannot be trusted: ${why}`
