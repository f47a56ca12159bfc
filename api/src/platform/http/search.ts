import { sql } from 'kysely'
import { Type } from 'typebox'

/** A text that finds things by their names. */
export const SearchText = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '\\S',
  description:
    'A part of the name, in any case and with or without accents: “universitesi” finds “Üniversitesi”, “istanbul” finds “İSTANBUL”. A part of the DID as it is written',
})

/** Returns the words to look for; undefined: everything. */
export function wordsOf(text: string | undefined): string | undefined {
  const words = text?.normalize('NFC').trim()
  return words === '' ? undefined : words
}

/** Tells whether words are in a text that `service.folded` has folded. Words that fold to nothing are in no text. */
export const holdsWords = (folded: ReturnType<typeof sql>, words: string) => sql<boolean>`(
  service.folded(${words}) <> '' and strpos(${folded}, service.folded(${words})) > 0)`
