import type { Served } from '../platform/http/operation.js'
import { getAuthorization } from './get-authorization.js'
import { getLedgerStatus } from './get-ledger-status.js'
import { getRegistryDiff } from './get-registry-diff.js'
import { serveGraphiql } from './graphql/graphiql.js'
import { openGraphiql } from './graphql/open-graphiql.js'
import { queryGraphql } from './graphql/query-graphql.js'
import { listDidHistory } from './list-did-history.js'
import { listDidRights } from './list-did-rights.js'
import { listLedgerEvents } from './list-ledger-events.js'
import { listRegistryHistory } from './list-registry-history.js'
import { listTrustRegistryHistory } from './list-trust-registry-history.js'
import { getAuthorizationProof } from './proofs/get-authorization-proof.js'
import { getDidKeyProof } from './proofs/get-did-key-proof.js'
import { getDidProof } from './proofs/get-did-proof.js'
import { getStatusProof } from './proofs/get-status-proof.js'
import { getTrustRegistryProof } from './proofs/get-trust-registry-proof.js'
import { queryLedger } from './query-ledger.js'

export const audit: Served = {
  operations: [
    getAuthorization,
    listTrustRegistryHistory,
    listDidHistory,
    listDidRights,
    getRegistryDiff,
    listRegistryHistory,
    listLedgerEvents,
    getLedgerStatus,
    queryLedger,
    queryGraphql,
    openGraphiql,
    getAuthorizationProof,
    getTrustRegistryProof,
    getDidProof,
    getDidKeyProof,
    getStatusProof,
  ],
  register: async (app) => serveGraphiql(app),
}
