import type { Readable } from 'node:stream'

/**
 * Reads and drops what a client still sends, so that it can receive the answer: a client that is disconnected while it
 * sends sees a broken connection instead.
 *
 * @returns whether all of it came within the bounds
 */
export function drain(
  stream: Readable,
  { maxBytes, timeoutMs }: { maxBytes: number; timeoutMs: number },
): Promise<boolean> {
  if (stream.readableEnded || stream.destroyed) return Promise.resolve(stream.readableEnded)
  return new Promise((resolve) => {
    let bytes = 0
    const finish = (isAll: boolean): void => {
      clearTimeout(timer)
      stream.off('data', count).off('end', ended).off('close', closed)
      resolve(isAll)
    }
    const count = (chunk: Buffer): void => {
      bytes += chunk.length
      if (bytes > maxBytes) finish(false)
    }
    const ended = (): void => finish(true)
    const closed = (): void => finish(false)
    const timer = setTimeout(() => finish(false), timeoutMs)
    stream.on('data', count).once('end', ended).once('close', closed)
    stream.resume()
  })
}
