import { ApiError } from '../http/errors.js'

/** Returns the answer of a call. Rejects with `unavailable` when it is late, and ignores any later answer. */
export async function within<T>(ms: number, call: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new ApiError('unavailable', `No answer within ${ms} ms`)), ms)
  })
  try {
    return await Promise.race([call(), late])
  } finally {
    clearTimeout(timer)
  }
}
