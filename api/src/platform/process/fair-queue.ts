import { type Bounds, type Refusal, FairQueue as Turns } from '@accredit/process/fair-queue'
import { ApiError, tooManyAtOnce } from '../errors.js'

/** Work of requests, in turns; a refusal is an answer: 429 about the caller, 503 about all. */
export class FairQueue extends Turns {
  constructor(most: Bounds) {
    super(most, refusalOf)
  }
}

function refusalOf(why: Refusal): ApiError {
  if (why === 'ofAll') return tooManyAtOnce()
  return why === 'gone'
    ? new ApiError('rate_limited', 'The caller went away while it waited')
    : new ApiError('rate_limited', 'Too many requests of yours wait already', { headers: { 'Retry-After': '1' } })
}
