import { ApiError } from '../errors.js'

/** The answer of a call; late: rejects with `unavailable`, and whatever comes after that is ignored. */
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
