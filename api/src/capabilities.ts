import { accounts } from './accounts/index.js'
import { actions } from './actions/index.js'
import { audit } from './audit/index.js'
import type { Capability } from './capability.js'
import { credentials } from './credentials/index.js'
import { data } from './data/index.js'
import { delegation } from './delegation/index.js'
import { didsWith } from './dids/index.js'
import { ecosystems } from './ecosystems/index.js'
import { expirations } from './expirations/index.js'
import { health } from './health/index.js'
import { jobsWith } from './jobs/index.js'
import { pages } from './pages/index.js'
import { profiles } from './profiles/index.js'
import { revocationWith } from './revocation/index.js'
import { schemas } from './schemas/index.js'
import { trqp } from './trqp/index.js'
import { vcApi } from './vc-api/index.js'
import { verification } from './verification/index.js'
import { webhooks } from './webhooks/index.js'

/**
 * The capabilities of the service. A new one adds its line here, and nowhere else: the HTTP process, the worker, the
 * reference and the test of the order read this list. A capability may use those before it; what it needs of a later
 * one is given to it here.
 */
export const capabilities: readonly Capability[] = [
  accounts,
  jobsWith(() => Object.assign({}, ...capabilities.map(({ reruns }) => reruns))),
  didsWith(async () => (await import('./revocation/lists-before-did-ends.js')).listsBeforeDidEnds),
  actions,
  profiles,
  schemas,
  revocationWith(async () => (await import('./credentials/check-status-ids.js')).checkStatusIds),
  ecosystems,
  audit,
  trqp,
  pages,
  health,
  credentials,
  verification,
  delegation,
  vcApi,
  expirations,
  webhooks,
  data,
]
