/** One key that wraps data keys; `context` names the data key, so that rows cannot be swapped. */
export interface WrappingKey {
  wrap(plain: Uint8Array, context: string): Promise<Buffer>
  unwrap(wrapped: Uint8Array, context: string): Promise<Buffer>
}
