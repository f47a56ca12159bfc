import { actions } from './actions/index.js'
import { audit } from './audit/index.js'
import { checkStatusIds, credentials } from './credentials/index.js'
import { didsWith } from './dids/index.js'
import { ecosystems } from './ecosystems/index.js'
import { jobs } from './jobs/index.js'
import { pages } from './pages/index.js'
import type { Capability } from './platform/http/operation.js'
import { profiles } from './profiles/index.js'
import { listsBeforeDidEnds, revocationWith } from './revocation/index.js'
import { schemas } from './schemas/index.js'
import { trqp } from './trqp/index.js'
import { verification } from './verification/index.js'

/** What the service can do. A new capability adds its line here. */
export const capabilities: readonly Capability[] = [
  jobs,
  didsWith(listsBeforeDidEnds),
  actions,
  profiles,
  schemas,
  revocationWith(checkStatusIds),
  ecosystems,
  audit,
  trqp,
  pages,
  credentials,
  verification,
]
