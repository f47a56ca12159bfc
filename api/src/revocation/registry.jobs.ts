import type { FinishedJob, JobEffect, JobEffects } from '../ledger/write/job-effects.js'
import { anyOf } from '../platform/database/any-of.js'
import type { Tx } from '../platform/database/database.js'
import type { RegistryStatus } from '../status/registry.tables.js'
import { foretellUpdates, planOvertakenAgain, planUpdate } from './status-updates.js'

/** The events for web hooks of registries, and of the credentials whose status is in one. */
export const REGISTRY_EVENTS = [
  'registry_create',
  'registry_delete',
  'credential_revoke',
  'credential_unrevoke',
] as const
type RegistryEvent = (typeof REGISTRY_EVENTS)[number]

/** Returns the `subject` of each of these jobs: the registry's id. */
const registriesOf = (jobs: readonly FinishedJob[]): string[] => jobs.flatMap(({ subject }) => subject ?? [])

async function setStatus(
  tx: Tx,
  jobs: readonly FinishedJob[],
  from: readonly RegistryStatus[],
  to: RegistryStatus,
): Promise<void> {
  await tx
    .updateTable('revocation_registries')
    .set({ status: to, ...(to === 'failed' && { issuing: false }) })
    .where('id', '=', anyOf(registriesOf(jobs)))
    .where('status', 'in', from)
    .execute()
}

/** Web hooks get one event for each part, with its transaction. */
async function tell(
  tx: Tx,
  event: RegistryEvent,
  jobs: readonly FinishedJob[],
  status: 'finalized' | 'error',
): Promise<void> {
  await tx.emitAll(
    jobs.flatMap(({ team, parts, subject, trace }) =>
      parts.map(({ outcome }) => ({
        team,
        event,
        data: { status, encodedTx: outcome.encodedTx, result: { InBlock: outcome.blockHash } },
        resource: subject ?? undefined,
        trace,
      })),
    ),
  )
}

const statusChange = (event: RegistryEvent): JobEffect => ({
  plan: planUpdate,
  foretell: foretellUpdates,
  goOn: planOvertakenAgain,
  finalized: (tx, jobs) => tell(tx, event, jobs, 'finalized'),
  failed: (tx, jobs) => tell(tx, event, jobs, 'error'),
})

export const registryJobEffects: JobEffects = {
  'registry.create': {
    async finalized(tx, jobs) {
      await setStatus(tx, jobs, ['pending'], 'active')
      await tell(tx, 'registry_create', jobs, 'finalized')
    },
    async failed(tx, jobs) {
      // Its removal may have been asked for meanwhile, and have failed first: the registry was never on the ledger.
      await setStatus(tx, jobs, ['pending', 'removing', 'active'], 'failed')
      await tell(tx, 'registry_create', jobs, 'error')
    },
  },
  'registry.delete': {
    async finalized(tx, jobs) {
      await setStatus(tx, jobs, ['removing'], 'removed')
      await tell(tx, 'registry_delete', jobs, 'finalized')
    },
    async failed(tx, jobs) {
      await setStatus(tx, jobs, ['removing'], 'active')
      await tell(tx, 'registry_delete', jobs, 'error')
    },
  },
  'status.revoke': statusChange('credential_revoke'),
  'status.unrevoke': statusChange('credential_unrevoke'),
}
