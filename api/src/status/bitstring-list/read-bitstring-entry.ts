import { isObject, type Json, type JsonObject, quoted, textOf } from '../../formats/json.js'
import { parseStatusIndex } from '../status-list/encoded-list.js'
import type { ListEntry, WrongEntry } from '../status-list/list-form.js'

export const TYPE = 'BitstringStatusListEntry'

/** The purposes that this service can judge; others say what only their ecosystems know. */
const PURPOSES: readonly string[] = ['revocation', 'suspension', 'message', 'refresh']

/** Entries of more bits would need more messages than a credential can hold. */
const MOST_BITS = 16

const malformed = (detail: string): WrongEntry => ({ wrong: 'malformed', detail: `the status entry ${detail}` })

/** https://www.w3.org/TR/vc-bitstring-status-list/#bitstringstatuslistentry */
export function readBitstringEntry(entry: JsonObject): ListEntry | WrongEntry {
  const { statusListCredential: list, statusListIndex, statusPurpose, statusSize, statusMessage } = entry
  const index = typeof statusListIndex === 'string' ? parseStatusIndex(statusListIndex) : undefined
  if (typeof list !== 'string' || index === undefined)
    return malformed('has no statusListCredential, or no statusListIndex that is a decimal number as text')
  const size = statusSize ?? 1
  if (typeof size !== 'number' || !Number.isInteger(size) || size < 1)
    return malformed('has a statusSize that is no whole number from 1 on')
  if (size > MOST_BITS) return { wrong: 'unavailable', detail: `a status of ${size} bits cannot be checked here` }
  const purpose = PURPOSES.find((one) => one === statusPurpose)
  if (purpose === undefined)
    return { wrong: 'unavailable', detail: `a status of purpose ${quoted(statusPurpose)} cannot be checked here` }
  const messages = statusMessage === undefined ? undefined : messagesIn(statusMessage)
  const needed = 2 ** size
  if (messages === undefined ? size > 1 : messages.size !== needed)
    return malformed(`has no statusMessage for each of its ${needed} values`)
  return { id: entry.id, list, index, purpose, size, ...(messages && { messageOf: (value) => messages.get(value) }) }
}

/** Returns the messages by their values; empty where one of them is malformed, or is there twice. */
function messagesIn(given: Json): ReadonlyMap<number, string> {
  const messages = new Map<number, string>()
  if (!Array.isArray(given)) return messages
  for (const [at, one] of given.entries()) {
    const { status, message } = isObject(one) ? one : {}
    const value = textOf(status)
    if (value === undefined || !/^0x[0-9a-f]{1,8}$/i.test(value) || typeof message !== 'string') return new Map()
    messages.set(Number(value), message)
    if (messages.size !== at + 1 || Number(value) >= given.length) return new Map()
  }
  return messages
}

/** Returns the messages of a list as entries carry them. */
export const statusMessages = (messages: readonly string[]) =>
  messages.map((message, value) => ({ status: `0x${value.toString(16)}`, message }))
