import { waitForJob } from '../ledger/write/wait-for-job.js'
import { ApiError } from '../platform/errors.js'
import type { Context } from '../platform/http/context.js'
import { countEntries } from '../status/entries.store.js'
import { USUAL_TERMS } from '../status/list-terms.js'
import type { RegistryRow } from '../status/registry.store.js'
import type { StatusMethod } from '../status/status-method.js'
import { closeIssuing, findIssuing } from './registry.store.js'
import { createOnLedger } from './registry-actions.js'

export const COUNT_AGAIN_AFTER = 1000
/** The next automatic registry opens when this share of the present one is used. */
const OPEN_NEXT_AT = 0.8

interface Wanted {
  issuer: string
  method: StatusMethod
  /** The issuer's open one, when there is any. */
  present: RegistryRow | undefined
}

/**
 * The registry that a revocable credential of this issuer goes to: one for each issuer DID, made at the first need, the
 * next one when four fifths are used. Waits until a new one is indexed, at most LEDGER_WAIT_MS; past that the registry
 * is answered with the header `Accredit-Pending`.
 */
export async function issuingRegistry(ctx: Context, { issuer, method, present }: Wanted): Promise<RegistryRow> {
  const registry = present && !(await isUsedUp(ctx, present)) ? present : await openNext(ctx, issuer, method, present)
  if (registry.status === 'pending') await untilOnLedger(ctx, registry)
  return registry
}

async function openNext(
  ctx: Context,
  issuer: string,
  method: StatusMethod,
  full: RegistryRow | undefined,
): Promise<RegistryRow> {
  const { registryType: type, length } = method
  // A registry without its credential is no effect yet: a retry with the same Idempotency-Key must be able to go on.
  const { idempotency: _kept, ...scope } = ctx.scope
  const id = `0x${ctx.random.hex(32)}`
  const kind = await method.create(ctx, { id, length })
  await ctx.db.transaction(scope, async (tx) => {
    if (full) await closeIssuing(tx, full.id)
    const next = {
      id,
      creator: issuer,
      policy: [issuer],
      add_only: false,
      type,
      length,
      automatic: true,
      issuing: true,
      ...USUAL_TERMS,
    }
    const job = await createOnLedger(tx, ctx, next, kind)
    if (job) await tx.audit({ action: 'createRegistry', subject: id, after: { automatic: true, type } })
  })
  // This is ours, or that of a faster request.
  const registry = await ctx.db.read(ctx.scope, (reader) => findIssuing(reader, ctx.team, issuer, type))
  if (!registry) throw new ApiError('unavailable', 'The revocation registry of the issuer could not be made; try again')
  return registry
}

async function untilOnLedger(ctx: Context, registry: RegistryRow): Promise<void> {
  const job = await waitForJob(ctx, registry.job_id)
  if (job.status !== 'error') return
  const reason = typeof job.result.message === 'string' ? job.result.message : 'no reason given'
  throw new ApiError('unavailable', `The ledger refused the revocation registry of ${registry.creator}: ${reason}`)
}

interface Count {
  used: number
  issuedSince: number
}

/** Counting a list of a million at each issue would cost more than issuing. */
const counts = new Map<string, Count>()

/** Lets the lists be counted again at the next need. */
export const forgetCounts = (): void => counts.clear()

/** Tells whether the next list has to be opened, by a count that is at most so many credentials old. */
export async function isUsedUp(
  ctx: Pick<Context, 'db' | 'scope'>,
  { id, length }: Pick<RegistryRow, 'id' | 'length'>,
): Promise<boolean> {
  const known = counts.get(id)
  const isFresh = known !== undefined && known.issuedSince < COUNT_AGAIN_AFTER
  const count = isFresh
    ? known
    : { used: await ctx.db.read(ctx.scope, (reader) => countEntries(reader, id)), issuedSince: 0 }
  if (!isFresh && counts.size > 10_000) forgetCounts()
  counts.set(id, { ...count, issuedSince: count.issuedSince + 1 })
  return count.used >= length * OPEN_NEXT_AT
}
