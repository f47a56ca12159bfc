import { type Finding, failed, passed, unavailable } from '../../formats/check.js'
import { FormatError } from '../../formats/format-error.js'
import { asArray, idOf, isObject, type Json, type JsonObject, textOf } from '../../formats/json.js'
import { checkTexts } from '../../formats/json-ld/limits.js'
import { MOST_LIST_BYTES } from '../../formats/json-ld/status-lists.js'
import type { At } from '../../ledger/read/at.js'
import { AHEAD_MS } from '../../ledger/read/instant.js'
import { parseJson, UnsafeJson } from '../../platform/http/input/json.js'
import { FairQueue } from '../../platform/process/fair-queue.js'
import { FetchRefused } from '../../platform/security/guarded-fetch.js'
import type { CheckingDoor } from '../status-method.js'
import { bitAt, decodeStatusList } from './encoded-list.js'
import { foreignLists } from './foreign-list-cache.js'

const LIMITS = { maxBytes: MOST_LIST_BYTES, timeoutMs: 5_000, accept: 'application/json, application/ld+json' }

/** Fetches of all teams: a slow host costs its caller places, and nobody else. */
const turns = new FairQueue({ running: 32, runningPerKey: 8, waiting: 256, waitingPerCaller: 64 })

export interface ForeignEntry {
  /** URL of the list. */
  list: string
  index: number
  purpose: Json | undefined
  /** The keepers whose lists count. */
  keepers: ReadonlySet<string>
  /** The longest time since the list was fetched. */
  maxAgeMs: number
  at: At
}

/**
 * Looks into a status list that stands elsewhere: fetched now or a moment ago, its own signature checked each time, and
 * of the present only, since nobody there says what it was.
 */
export async function checkForeignBit(door: CheckingDoor, entry: ForeignEntry): Promise<Finding> {
  const { list, index, at } = entry
  const isPresent = at.isHead && at.instant.getTime() + AHEAD_MS >= door.clock.now().getTime()
  if (!isPresent) return unavailable('a status list that stands elsewhere cannot be read as of the past')
  const bits = await bitsOf(door, entry)
  if (typeof bits === 'string') return unavailable(`the status list ${list.slice(0, 200)} ${bits}`)
  const bit = bitAt(bits, index)
  if (bit === undefined) return failed('index_out_of_range', 'its index lies outside the status list')
  return bit ? failed('revoked', 'it is revoked') : passed()
}

/** Returns the bits of a list, or its fault. A kept list that is no longer good is fetched again. */
async function bitsOf(door: CheckingDoor, entry: ForeignEntry): Promise<Uint8Array | string> {
  const [url = ''] = entry.list.split('#')
  const lists = foreignLists(door)
  const asked = { now: door.clock.now(), maxAgeMs: entry.maxAgeMs }
  const kept = lists.find(url, asked)
  const known = kept && (await read(door, kept, entry))
  if (typeof known === 'object') return known.bits
  const fetch = () => turns.run(`team ${door.team}`, () => door.guardedFetch(url, LIMITS))
  try {
    return await lists.fetchOnce(url, asked, fetch, async (fetched) => {
      const found = await read(door, fetched.bytes, entry)
      if (typeof found === 'string') return found
      lists.keep(url, fetched, found.ttlMs)
      return found.bits
    })
  } catch (error) {
    if (error instanceof FetchRefused) return `cannot be had: ${error.message}`
    throw error
  }
}

interface GoodList {
  bits: Uint8Array
  ttlMs: number | undefined
}

async function read(door: CheckingDoor, bytes: Buffer, entry: ForeignEntry): Promise<GoodList | string> {
  const document = parsed(bytes)
  if (typeof document === 'string') return `cannot be had: ${document}`
  const wrong = await untrusted(door, document, entry)
  if (wrong !== undefined) return `cannot be trusted: ${wrong}`
  const subject = isObject(document.credentialSubject) ? document.credentialSubject : {}
  const bits = await decodeStatusList(textOf(subject.encodedList) ?? '')
  return bits === undefined ? 'cannot be unpacked' : { bits, ttlMs: ttlOf(subject) }
}

/** Milliseconds, as in Bitstring Status List; an unreadable ttl allows no keeping. */
function ttlOf({ ttl }: JsonObject): number | undefined {
  if (ttl === undefined) return undefined
  return typeof ttl === 'number' ? ttl : 0
}

/** The document, or why it is none. */
function parsed(bytes: Buffer): JsonObject | string {
  try {
    const document = parseJson(bytes.toString('utf8'))
    if (!isObject(document)) return 'it is no object'
    checkTexts(document)
    return document
  } catch (error) {
    if (error instanceof FormatError) return error.message
    if (error instanceof UnsafeJson) return error.message
    if (error instanceof SyntaxError) return 'it is not JSON'
    throw error
  }
}

/** Returns why a list cannot be trusted: its form, purpose, issuer, signature or dates. */
async function untrusted(
  door: CheckingDoor,
  document: JsonObject,
  { list, purpose, keepers, at }: ForeignEntry,
): Promise<string | undefined> {
  const { credentialSubject: subject } = document
  if (!asArray(document.type).includes('StatusList2021Credential') || !isObject(subject)) return 'it is no status list'
  if (subject.type !== 'StatusList2021' || subject.statusPurpose !== purpose) return 'it is of another kind or purpose'
  if (textOf(document.id) !== list.split('#')[0]) return 'it has another id'
  const issuer = idOf(document.issuer)
  if (issuer === undefined) return 'it names no issuer'
  if (!keepers.has(issuer)) return 'it is not of the issuer of the credential, nor of a controller of its DID'
  return door.distrust(document, issuer, at)
}
