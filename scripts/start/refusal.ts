/** A reason not to start, in a sentence for the person at the terminal: no stack trace belongs to it. */
export class Refusal extends Error {
  override name = 'Refusal'
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
