import type { Hex32 } from '@accredit/chain'
import { parseHex32 } from '@accredit/chain/bytes'
import { actingKeyHere } from '../../dids/did.store.js'
import { headHeights } from '../../ledger/read/blocks.js'
import { listedSchemas, openness } from '../../ledger/read/registries/registry-schemas.js'
import { wasRemoved } from '../../ledger/read/registries/registry-states.js'
import type { FailedJob } from '../../ledger/write/job-effects.js'
import { addParts, forgetRefusals, judgeAgain } from '../../ledger/write/start-job.js'
import type { Tx } from '../../platform/database/database.js'

/** The errors of a part that has more, or less, than the index had when it was planned. */
const OVERTAKEN = new Set(['TooManyChanges', 'SchemasLeft', 'NotFound'])
/** The most rounds: the job of a caller that keeps giving new rights during the removal ends with this error. */
const MOST_ROUNDS = 10

/**
 * Continues a removal whose parts were refused for changes made meanwhile, with the rest in parts so small that they
 * fit whatever issuers do: otherwise rights would be taken away and the removal be called refused.
 */
export async function continueRemovals(tx: Tx, jobs: readonly FailedJob[]): Promise<ReadonlySet<string>> {
  const going = new Set<string>()
  for (const job of jobs) if (await goesOn(tx, job)) going.add(job.id)
  return going
}

/**
 * Tells whether the newest block has nothing of what a removal is about; `forGood` where that is final, so that no other
 * block can bring it back.
 */
async function isGone(
  tx: Tx,
  registry: Hex32,
  only: Hex32 | undefined,
  { newest, present }: { newest: number; present: number },
): Promise<'no' | 'yes' | 'forGood'> {
  const isGoneAt = async (block: number) =>
    only === undefined
      ? wasRemoved(tx, registry, { block })
      : (await openness(tx, { block }, registry, only)) === undefined
  if (!(await isGoneAt(newest))) return 'no'
  return (await isGoneAt(present)) ? 'forGood' : 'yes'
}

async function goesOn(tx: Tx, { id, team, subject, data, parts }: FailedJob): Promise<boolean> {
  const registryId = parseHex32(subject ?? '')
  const only = typeof data.schema === 'string' ? parseHex32(data.schema) : undefined
  const refused = parts.flatMap(({ outcome }) => outcome.error ?? [])
  const round = typeof data.round === 'number' ? data.round : 0
  const [first] = parts
  if (registryId === undefined || first === undefined) return false
  if (await wasRemoved(tx, registryId)) {
    // Somebody else was faster: the requested state is there.
    await forgetRefusals(tx, id, data, true)
    return true
  }
  const heights = await headHeights(tx)
  const gone = await isGone(tx, registryId, only, heights)
  if (gone === 'forGood') {
    await forgetRefusals(tx, id, data, true)
    return true
  }
  if (gone === 'yes') {
    // Somebody else's block took it away, and may be given up: nothing is left to do, and nothing is done yet.
    await judgeAgain(tx, id)
    return true
  }
  if (round >= MOST_ROUNDS) return false
  if (!refused.every(({ name }) => OVERTAKEN.has(name))) return false
  const key = await actingKeyHere(tx, first.did)
  if (key === undefined) return false
  // The newest block is the best guess of what the parts will meet; where it is wrong, they are refused and planned again.
  // The module is loaded late: few jobs come here, and the types of the ledger are large.
  const { removalDispatches } = await import('./removal.js')
  const listed = await listedSchemas(tx, { block: heights.newest }, registryId, only)
  const calls = removalDispatches(registryId, listed, { counting: 'worst', only })
  if (calls.length === 0) {
    // The block was given up since it was looked at, for one that has nothing to remove.
    await judgeAgain(tx, id)
    return true
  }
  await forgetRefusals(tx, id, { ...data, round: round + 1 }, false)
  await addParts(
    tx,
    { id, team },
    calls.map((call) => ({ did: key.did, action: { kind: 'dispatch' as const, ...key, calls: [call] } })),
  )
  return true
}
