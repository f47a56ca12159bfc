import { sql } from 'kysely'
import { Type } from 'typebox'

/** What somebody writes to find things by their names. */
export const SearchText = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '\\S',
  description:
    'A part of the name, in any case and with or without accents: “universitesi” finds “Üniversitesi”, “istanbul” finds “İSTANBUL”. A part of the DID as it is written',
})

/** What is looked for; undefined: everything. */
export function wordsOf(text: string | undefined): string | undefined {
  const words = text?.normalize('NFC').trim()
  return words === '' ? undefined : words
}

/** Whether words are in a text that `service.folded` has folded. What folds to nothing is in no text. */
export const holdsWords = (folded: ReturnType<typeof sql>, words: string) => sql<boolean>`(
  service.folded(${words}) <> '' and strpos(${folded}, service.folded(${words})) > 0)`
