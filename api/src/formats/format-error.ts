/**
 * The faults that a document can have, before or while its proof is made or checked. `unavailable` means that it could
 * not be checked (a context cannot be loaded), not that it is wrong.
 */
export type FormatErrorCode =
  | 'too_large'
  | 'malformed'
  | 'unmapped_term'
  | 'relative_id'
  | 'unknown_context'
  | 'invalid_context'
  | 'unavailable'

export class FormatError extends Error {
  /** The place of the fault in the document, where it has one. */
  readonly place: readonly (string | number)[] | undefined
  constructor(
    readonly code: FormatErrorCode,
    message: string,
    options: { cause?: unknown; place?: readonly (string | number)[] } = {},
  ) {
    super(message, options)
    this.name = 'FormatError'
    this.place = options.place
  }
}
