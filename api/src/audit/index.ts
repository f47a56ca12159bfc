import type { Capability } from '../platform/operation.js'
import { getAuthorization } from './get-authorization.js'
import { getLedgerStatus } from './get-ledger-status.js'
import { graphqlDescription, registerGraphql } from './graphql/route.js'
import { listDidHistory } from './list-did-history.js'
import { listLedgerEvents } from './list-ledger-events.js'
import { listRegistryHistory } from './list-registry-history.js'
import { listTrustRegistryHistory } from './list-trust-registry-history.js'
import { queryLedger } from './query-ledger.js'

export const audit: Capability = {
  operations: [
    getAuthorization,
    listTrustRegistryHistory,
    listDidHistory,
    listRegistryHistory,
    listLedgerEvents,
    getLedgerStatus,
    queryLedger,
  ],
  described: [graphqlDescription],
  register: registerGraphql,
}
