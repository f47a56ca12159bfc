/** A reason not to start, in a sentence for the person at the terminal: no stack trace belongs to it. */
export class Refusal extends Error {
  override name = 'Refusal'
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Returns the system's name for an error, or its message where it has none. */
export function codeOf(error: unknown): string {
  if (error instanceof Error) return 'code' in error && typeof error.code === 'string' ? error.code : error.message
  return String(error)
}
