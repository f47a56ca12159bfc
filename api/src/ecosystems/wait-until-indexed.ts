import type { StartedJob } from '../ledger/write/start-job.js'
import { JOB_HEADER, NO_JOB, PENDING_HEADER, waitForJob } from '../ledger/write/wait-for-job.js'
import type { Context } from '../platform/http/context.js'
import { ApiError, isErrorType } from '../platform/http/errors.js'

/**
 * Waits until the accepted change can be read, at most LEDGER_WAIT_MS, and names the job in `Accredit-Job`. False: it
 * cannot be read yet, the answer shows the accepted change and carries `Accredit-Pending`; at once where the convener
 * has yet to sign. Throws when the ledger refused.
 */
export async function waitUntilIndexed(ctx: Context, job: StartedJob): Promise<boolean> {
  if (job.id === NO_JOB.id) {
    ctx.reply.header(JOB_HEADER, job.id)
    return true
  }
  if (job.isWaiting) {
    ctx.reply.header(JOB_HEADER, job.id)
    ctx.reply.header(PENDING_HEADER, 'true')
    return false
  }
  const state = await waitForJob(ctx, job.id)
  if (state.status !== 'error') return state.done
  const { type, message } = state.result
  const text = `The ledger refused: ${typeof message === 'string' ? message : 'no reason given'}`
  if (type === 'VersionMismatch')
    throw new ApiError('conflict', 'The trust registry was changed at the same moment: try again')
  throw new ApiError(typeof type === 'string' && isErrorType(type) ? type : 'invalid_request', text)
}
