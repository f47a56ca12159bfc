import { ApiError, type ErrorType } from '../platform/http/errors.js'
import type { Words } from './words.js'

export interface Told {
  title: string
  text: string
  /** The page to go to instead; undefined: the same page as it is now. */
  address?: string
  headers?: Record<string, string>
}

const worded = new WeakMap<ApiError, Told>()

/** A refusal that tells the alternative in the reader's language. */
export function pageRefusal(type: ErrorType, told: Told): ApiError {
  const error = new ApiError(type, told.text, told.headers && { headers: told.headers })
  worded.set(error, told)
  return error
}

/** The text for each part of the address that cannot be read. */
const UNREADABLE = new Map([
  ['slug', 'noEcosystemHere'],
  ['at', 'notADate'],
  ['search', 'tooLongToSearch'],
  ['page', 'noSuchPage'],
  ['before', 'noSuchPart'],
  ['cursor', 'noSuchPart'],
] as const)

/** Returns the text that a page shows for a refusal. */
export function toldOf(error: ApiError, words: Words): Told {
  const told = worded.get(error)
  if (told !== undefined) return told
  const { status, malformed } = error
  const say = (title: Parameters<Words['plain']>[0], text: Parameters<Words['plain']>[0]): Told => ({
    title: words.plain(title),
    text: words.plain(text),
  })
  if (malformed === 'text') return say('cannotBeShown', 'notText')
  if (malformed !== undefined) {
    const field = [...UNREADABLE].find(([name]) => name === malformed.field)?.[1]
    return say('cannotBeShown', field ?? 'notHereText')
  }
  if (status === 429) return say('tooMany', 'tooManyText')
  if (status === 503) return say('noLedger', 'noLedgerText')
  return status < 500 ? say('notHere', 'notHereText') : say('wentWrong', 'wentWrongText')
}
