import type { BeforeDidEnds } from '../dids/delete-did.js'
import { isUsable, ownDid } from '../dids/did.store.js'
import { resolveAt } from '../ledger/read/at.js'
import { revocationRegistryAt } from '../ledger/read/status-list.js'
import { jobWatchOf } from '../ledger/write/job-watch.js'
import type { Reader } from '../platform/database/database.js'
import { ApiError } from '../platform/errors.js'
import type { Context } from '../platform/http/context.js'
import { termsOf } from '../status/list-terms.js'
import { listSigner } from './list-signer.js'
import { registryJobEffects } from './registry.jobs.js'
import { registriesWith } from './registry.store.js'

const AT_ONCE = 4

/** The last version of a list must be signed while its signer has keys, and hold what was accepted until then. */
export const listsBeforeDidEnds: BeforeDidEnds = {
  async prepare(ctx, did) {
    const { own, jobs } = await ctx.db.read(ctx.scope, async (reader) => ({
      own: await ownDid(reader, did),
      jobs: await openStatusJobs(reader, did),
    }))
    if (!own) return
    const ended = await Promise.all(jobs.map((id) => jobWatchOf(ctx).ended(id, ctx.config.ledger.waitMs)))
    if (ended.includes(undefined)) throw stillChanging()
    // The index knows a registry made by an action once that action has ended.
    const registries = await ctx.db.read(ctx.scope, (reader) => registriesWith(reader, ctx.team, did))
    for (let start = 0; start < registries.length; start += AT_ONCE)
      await Promise.all(registries.slice(start, start + AT_ONCE).map((id) => keepList(ctx, did, id)))
  },
  async check(tx, did) {
    if ((await openStatusJobs(tx, did)).length > 0) throw stillChanging()
  },
}

const stillChanging = () =>
  new ApiError('conflict', 'What the DID does on the ledger is not there yet; try again when it is')

/** A ledger action may change any registry or bit. */
const STATUS_JOBS = [...Object.keys(registryJobEffects), 'ledger.action']

/** Jobs in which the DID acts on registries and their bits, or may do so. */
async function openStatusJobs(reader: Reader, did: string): Promise<string[]> {
  const rows = await reader
    .selectFrom('ledger_actions as a')
    .innerJoin('jobs as j', 'j.id', 'a.job_id')
    .select('j.id')
    .distinct()
    .where('a.did', '=', did)
    .where('a.state', 'in', ['planned', 'pending', 'accepted', 'included'])
    .where('j.kind', 'in', STATUS_JOBS)
    .execute()
  return rows.map(({ id }) => id)
}

async function keepList(ctx: Context, did: string, registryId: string): Promise<void> {
  const at = await resolveAt(ctx.index, undefined, ctx.clock)
  const registry = await revocationRegistryAt(ctx.index, registryId, at)
  if (!registry || registry.isRemoved) return
  const signer = await ctx.db.read('system', (reader) => listSigner(reader, registry))
  if (signer?.did !== did) return
  const { purpose } = await termsOf(ctx.db, registryId)
  const published = ctx.statusMethods.ofKind(registry.kind).filter(({ purposes }) => purposes.includes(purpose))
  for (const publish of new Set(published.map((method) => method.publish)))
    await publish?.({ ...ctx, publisherOf: listSigner, isUsable }, registry, at)
}
