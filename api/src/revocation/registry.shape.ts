import { Type } from 'typebox'
import { JobStarted } from '../jobs/job.shape.js'
import { hexId } from '../platform/http/identifiers.js'
import type { RegistryRow } from '../status/registry.store.js'
import { bareHex } from '../status/revocation-id.js'
import { REGISTRY_TYPES } from '../status/status-methods.js'

export const RegistryId = hexId('revocationRegistry')
export const RevocationId = hexId('revocationId')

const Did = Type.String({ minLength: 12, maxLength: 256, pattern: '^did:' })

const RegistryTypes = Type.Enum([...REGISTRY_TYPES], { description: 'The way in which it tells what is revoked' })

const RequestedType = Type.Union([Type.String({ maxLength: 64 }), Type.Null()], {
  description: REGISTRY_TYPES.join(', '),
})

export const RegistryRequest = Type.Object({
  addOnly: Type.Boolean({
    default: false,
    description: 'Nothing can be unrevoked, and the registry cannot be deleted',
  }),
  policy: Type.Array(Did, {
    minItems: 1,
    maxItems: 15,
    uniqueItems: true,
    description: 'DIDs that may revoke; one of yours among them',
  }),
  type: Type.Optional(RequestedType),
  registryType: Type.Optional(RequestedType),
})

const RegistryName = Type.String({ description: '64 hexadecimal digits' })

const Policy = Type.Object(
  {
    type: Type.Literal('OneOf', { description: 'Any one of the DIDs suffices' }),
    policy: Type.Array(Type.String(), { description: 'The DIDs that may revoke' }),
    addOnly: Type.Boolean({ description: 'Revocations are for ever: no credential of it is unrevoked' }),
  },
  { description: 'The DIDs that may revoke, and whether that is for ever' },
)

export const RegistryStarted = Type.Object({
  id: JobStarted.properties.id,
  data: Type.Object({ id: RegistryName, policy: Policy, type: RegistryTypes }, { description: 'The registry' }),
})

export const RegistryRecord = Type.Object({
  id: RegistryName,
  policy_and_type: Policy,
  registry_type: RegistryTypes,
  created_at: Type.String({ description: 'The time at which it was made' }),
  job_id: Type.Union([Type.String(), Type.Null()], {
    description: 'The job that made it; null when another service did',
  }),
})

const policyOf = ({ policy, add_only }: RegistryRow) => ({ type: 'OneOf' as const, policy, addOnly: add_only })

/** A registry as the API answers it. */
export const registryRecord = (row: RegistryRow) => ({
  id: bareHex(row.id),
  policy_and_type: policyOf(row),
  registry_type: row.type,
  created_at: row.created.toISOString(),
  job_id: row.job_id,
})
