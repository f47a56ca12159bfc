import type { Static } from 'typebox'
import { actingKeyHere } from '../dids/did.store.js'
import { jobStarted } from '../ledger/write/wait-for-job.js'
import type { Tx } from '../platform/database/database.js'
import { ApiError, invalid } from '../platform/errors.js'
import type { Context } from '../platform/http/context.js'
import { oneOfTwo } from '../platform/http/input/spellings.js'
import { operation } from '../platform/http/operation.js'
import { EXAMPLE } from '../platform/http/reference/examples.js'
import { USUAL_TERMS } from '../status/list-terms.js'
import type { ListTerms } from '../status/registry.tables.js'
import { bareHex } from '../status/revocation-id.js'
import type { StatusMethod } from '../status/status-method.js'
import { REGISTRY_TYPES } from '../status/status-methods.js'
import { RegistryRequest, RegistryStarted, shownTerms } from './registry.shape.js'
import { createOnLedger } from './registry-actions.js'

export const createRegistry = operation({
  method: 'POST',
  url: '/registries',
  operationId: 'createRegistry',
  tags: ['registries'],
  summary: 'Create a revocation registry',
  description:
    'One registry serves a million credentials: revocable credentials get one for their issuer by themselves. The first DID of the policy that is yours and has its key here makes it and signs its list. A registry of any list type holds credentials of every form that has lists: each gets the entry of its form, and GET /status-lists/{id}, /status-lists/{id}/bitstring and /status-lists/{id}/token are the same bits. What the list is for is chosen here and never changes: of suspended credentials verification says suspended, and a message takes nothing from them; of all purposes revoke sets the bit and unrevoke clears it. DockVBAccumulator2022 is for credentials whose holders prove that they are not revoked without telling which one they have; each has a key pair of its own. CredentialStatusList2017 is deprecated.',
  auth: 'key',
  role: 'member',
  ledgerWrite: true,
  tenancy: 'owned',
  body: RegistryRequest,
  examples: {
    'A list that one DID may change': { policy: [EXAMPLE.convener] },
    'A list of suspensions, for credentials of data model 2.0': {
      policy: [EXAMPLE.convener],
      type: 'BitstringStatusListEntry',
      purpose: 'suspension',
    },
  },
  response: { 200: RegistryStarted },
  errors: ['unsupported_policy', 'not_found'],
  handler: async (ctx, { body }) => {
    const method = methodFor(ctx, oneOfTwo(body, 'type', 'registryType') || 'StatusList2021Entry')
    if (method.isDeprecated) ctx.reply.header('Deprecation', 'true')
    const terms = termsFor(method, body)
    const id = `0x${ctx.random.hex(32)}`
    const kind = await method.create(ctx, { id, length: method.length })
    return ctx.db.transaction(ctx.scope, async (tx) => {
      const creator = await ownDidOf(tx, body.policy)
      const registry = {
        id,
        creator,
        policy: body.policy,
        add_only: body.addOnly,
        type: method.registryType,
        length: method.length,
        automatic: false,
        issuing: false,
        ...terms,
      }
      const job = await createOnLedger(tx, ctx, registry, kind)
      if (!job) throw new ApiError('conflict', 'A registry with this id exists; try again')
      await tx.audit({
        action: 'createRegistry',
        subject: id,
        after: { type: method.registryType, policy: body.policy, addOnly: body.addOnly },
      })
      const policy = { type: 'OneOf' as const, policy: body.policy, addOnly: body.addOnly }
      return tx.answer(
        jobStarted(ctx, job, { id: bareHex(id), policy, type: method.registryType, ...shownTerms(terms) }),
      )
    })
  },
})

function methodFor({ statusMethods }: Context, text: string): StatusMethod {
  const method = statusMethods.ofRegistry(text)
  if (method !== undefined) return method
  throw invalid(`type must be one of ${REGISTRY_TYPES.join(', ')}`)
}

/** Reads the terms of a list: fixed, since they stand in signed entries. */
function termsFor(
  { registryType, purposes }: StatusMethod,
  { purpose = 'revocation', ttlSeconds = USUAL_TERMS.ttl_seconds, statusMessage }: Static<typeof RegistryRequest>,
): ListTerms {
  if (!purposes.includes(purpose))
    throw invalid(`The purpose of a registry of type ${registryType} is ${purposes.join(' or ')}`, { field: 'purpose' })
  if ((purpose === 'message') !== Boolean(statusMessage))
    throw invalid('statusMessage says what the bits of a list mean whose purpose is message: both, or neither', {
      field: 'statusMessage',
    })
  const messages = statusMessage?.map(({ message }) => message) ?? null
  if (statusMessage?.some(({ status }, value) => status !== `0x${value}`))
    throw invalid('statusMessage has the message of 0x0, then that of 0x1', { field: 'statusMessage' })
  return { purpose, ttl_seconds: ttlSeconds, messages }
}

async function ownDidOf(tx: Tx, policy: string[]): Promise<string> {
  for (const did of policy) if (await actingKeyHere(tx, did)) return did
  throw new ApiError('unsupported_policy', 'The policy must include one of your DIDs that can act on the ledger')
}
