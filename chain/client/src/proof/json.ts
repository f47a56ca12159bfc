import { ProofRefusal } from './refusal.js'
import { shownJson } from './shown-json.js'

const SHOWN_CHARACTERS = 64

/** An object or a list that is open: the names of an object so far. */
type Open = Set<string> | undefined

/**
 * Parses JSON that every reader reads alike. A member that stands twice in an object is refused, however its name is
 * escaped: `JSON.parse` keeps the last one silently, others keep the first. So is a number that is not written in digits
 * alone, since a double may round it.
 */
export function parseJson(text: string): unknown {
  const value: unknown = parsed(text)
  refuseAmbiguity(text)
  return value
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ProofRefusal('not_json', 'The bundle is not JSON.')
  }
}

/** Walks through a text that is known to be JSON, without recursion: it may nest as deep as it is long. */
function refuseAmbiguity(text: string): void {
  const open: Open[] = []
  let isName = false
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at)
    if (character === '{' || character === '[') open.push(character === '{' ? new Set() : undefined)
    else if (character === '}' || character === ']') open.pop()
    if (character === '{' || character === ',') isName = open.at(-1) !== undefined
    else if (character === '"') {
      const end = endOfString(text, at)
      if (isName) addName(open.at(-1), text.slice(at, end))
      isName = false
      at = end - 1
    } else if (/[-\d]/.test(character)) at = endOfNumber(text, at) - 1
  }
}

function addName(names: Open, token: string): void {
  const name = String(JSON.parse(token))
  if (names?.has(name))
    throw new ProofRefusal(
      'duplicate_member',
      `The member ${shownJson(name.slice(0, SHOWN_CHARACTERS))} stands twice in one object of the bundle.`,
    )
  names?.add(name)
}

/** Returns the place behind the string that begins here. */
function endOfString(text: string, begin: number): number {
  let at = begin + 1
  while (text.charAt(at) !== '"') at += text.charAt(at) === '\\' ? 2 : 1
  return at + 1
}

/** Returns the place behind the number that begins here. */
function endOfNumber(text: string, begin: number): number {
  let at = begin
  while (/[-+.\dEe]/.test(text.charAt(at))) at += 1
  if (!/^\d+$/.test(text.slice(begin, at)))
    throw new ProofRefusal('malformed', 'Each number of the bundle has to be a whole number, written in digits alone.')
  return at
}
