import type { Served } from '../platform/http/operation.js'
import { createRegistry } from './create-registry.js'
import { deleteRegistry } from './delete-registry.js'
import { getRegistry } from './get-registry.js'
import { getRevocationStatus } from './get-revocation-status.js'
import { getRevocationWitness } from './get-revocation-witness.js'
import { LIST_OPERATIONS } from './get-status-list.js'
import { listAccumulatorUpdates } from './list-accumulator-updates.js'
import { listRegistries } from './list-registries.js'
import { type CheckIds, updateRegistry } from './update-registry.js'

export const revocationWith = (check: CheckIds): Served => ({
  operations: [
    listRegistries,
    createRegistry,
    getRegistry,
    updateRegistry(check),
    deleteRegistry,
    listAccumulatorUpdates,
    getRevocationStatus,
    getRevocationWitness,
    ...LIST_OPERATIONS,
  ],
})
