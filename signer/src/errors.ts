/** An answer that is not a result: `status` and `type` are for the caller, `cause` is for the log. */
export class SignerError extends Error {
  override readonly name = 'SignerError'
  constructor(
    readonly status: number,
    readonly type: string,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options)
  }
}

/** A fault of the installation that a person has to mend: the process ends with this sentence. */
export class SetupError extends Error {
  override readonly name = 'SetupError'
}
