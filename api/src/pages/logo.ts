import { type Html, html } from '../platform/http/html.js'
import type { Words } from './words.js'

interface Shown {
  /** The address that somebody gave; undefined: nobody gave one. */
  name: string | undefined
  /** The address here; undefined: there is none. */
  logo: string | undefined
  /** The text that determines its colour. */
  id: string
  /** True for one logo of many: it is loaded when it comes into view. */
  isInList?: boolean
}

/** The number of colours that the style has. */
const TONES = 8

/** The logo of an organisation, or the initials of its name in a colour of its own. */
export function logo({ name, logo, id, isInList = false }: Shown, words: Words): Html {
  if (logo !== undefined) return html`<img class="logo" src="${logo}" alt=""${isInList && html` loading="lazy"`}>`
  const tone = [...id].reduce((sum, character) => sum + (character.codePointAt(0) ?? 0), 0) % TONES
  return html`<span class="logo initials tone-${tone}" aria-hidden="true">${initialsOf(name ?? '', words)}</span>`
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/**
 * The first letters of the first two words that name something: `UO` of University of Oxford. Words in small letters
 * join others in many languages, so they count only where there is nothing else.
 */
export function initialsOf(name: string, words: Pick<Words, 'capitals'>): string {
  const all = name.match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu) ?? []
  const naming = all.filter((word) => !/^\p{Ll}/u.test(word))
  const chosen = (naming.length > 0 ? naming : all).slice(0, 2)
  const first = chosen.map((word) => [...graphemes.segment(word)][0]?.segment ?? '')
  // Letters that join others stand alone here.
  return words.capitals(first.join('\u200c'))
}
