import { Type } from 'typebox'
import { JobStarted } from '../jobs/job.shape.js'
import { hexId } from '../platform/http/identifiers.js'
import { statusMessages } from '../status/bitstring-list/read-bitstring-entry.js'
import { USUAL_TERMS } from '../status/list-terms.js'
import type { RegistryRow } from '../status/registry.store.js'
import { type ListTerms, PURPOSES } from '../status/registry.tables.js'
import { bareHex } from '../status/revocation-id.js'
import { REGISTRY_TYPES } from '../status/status-methods.js'

export const RegistryId = hexId('revocationRegistry')
export const RevocationId = hexId('revocationId')

const Did = Type.String({ minLength: 12, maxLength: 256, pattern: '^did:' })

const RegistryTypes = Type.Enum([...REGISTRY_TYPES], { description: 'The way in which it tells what is revoked' })

const RequestedType = Type.Union([Type.String({ maxLength: 64 }), Type.Null()], {
  description: REGISTRY_TYPES.join(', '),
})

const Message = Type.Object(
  {
    status: Type.String({ maxLength: 3, description: 'The value of the bit' }),
    message: Type.String({ minLength: 1, maxLength: 256, description: 'The text that is told' }),
  },
  { description: 'The message of a value' },
)

const Terms = {
  purpose: Type.Enum([...PURPOSES], { description: 'The meaning of the bits of its list' }),
  ttlSeconds: Type.Integer({ description: 'The time for which a reader may keep its list' }),
  statusMessage: Type.Optional(
    Type.Array(Message, { description: 'The messages of its bits, where these are messages' }),
  ),
}

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
  purpose: Type.Optional(
    Type.Enum([...PURPOSES], { default: 'revocation', description: 'The meaning of the bits of its list, for ever' }),
  ),
  ttlSeconds: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 86_400,
      default: USUAL_TERMS.ttl_seconds,
      description: 'The time for which a reader may keep its list',
    }),
  ),
  statusMessage: Type.Optional(
    Type.Array(Message, {
      minItems: 2,
      maxItems: 2,
      description: 'The messages of a list whose purpose is message: of 0x0, then of 0x1',
    }),
  ),
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
  data: Type.Object(
    { id: RegistryName, policy: Policy, type: RegistryTypes, ...Terms },
    { description: 'The registry' },
  ),
})

export const RegistryRecord = Type.Object({
  id: RegistryName,
  policy_and_type: Policy,
  registry_type: RegistryTypes,
  ...Terms,
  created_at: Type.String({ description: 'The time at which it was made' }),
  job_id: Type.Union([Type.String(), Type.Null()], {
    description: 'The job that made it; null when another service did',
  }),
})

const policyOf = ({ policy, add_only }: RegistryRow) => ({ type: 'OneOf' as const, policy, addOnly: add_only })

export const shownTerms = ({ purpose, ttl_seconds, messages }: ListTerms) => ({
  purpose,
  ttlSeconds: ttl_seconds,
  ...(messages && { statusMessage: statusMessages(messages) }),
})

/** A registry as the API answers it. */
export const registryRecord = (row: RegistryRow) => ({
  id: bareHex(row.id),
  policy_and_type: policyOf(row),
  registry_type: row.type,
  ...shownTerms(row),
  created_at: row.created.toISOString(),
  job_id: row.job_id,
})
