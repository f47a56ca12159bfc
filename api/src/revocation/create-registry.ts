import { actingKeyHere } from '../dids/did.store.js'
import { jobStarted } from '../ledger/write/wait-for-job.js'
import type { Tx } from '../platform/database/database.js'
import { ApiError, invalid } from '../platform/errors.js'
import type { Context } from '../platform/http/context.js'
import { oneOfTwo } from '../platform/http/input/spellings.js'
import { operation } from '../platform/http/operation.js'
import { EXAMPLE } from '../platform/http/reference/examples.js'
import { bareHex } from '../status/revocation-id.js'
import type { StatusMethod } from '../status/status-method.js'
import { REGISTRY_TYPES } from '../status/status-methods.js'
import { RegistryRequest, RegistryStarted } from './registry.shape.js'
import { createOnLedger } from './registry-actions.js'

export const createRegistry = operation({
  method: 'POST',
  url: '/registries',
  operationId: 'createRegistry',
  tags: ['registries'],
  summary: 'Create a revocation registry',
  description:
    'One registry serves a million credentials: revocable credentials get one for their issuer by themselves. The first DID of the policy that is yours and has its key here makes it and signs its list. DockVBAccumulator2022 is for credentials whose holders prove that they are not revoked without telling which one they have; each has a key pair of its own. CredentialStatusList2017 is deprecated.',
  auth: 'key',
  role: 'member',
  ledgerWrite: true,
  tenancy: 'owned',
  body: RegistryRequest,
  examples: { 'A list that one DID may change': { policy: [EXAMPLE.convener] } },
  response: { 200: RegistryStarted },
  errors: ['unsupported_policy', 'not_found'],
  handler: async (ctx, { body }) => {
    const method = methodFor(ctx, oneOfTwo(body, 'type', 'registryType') || 'StatusList2021Entry')
    if (method.isDeprecated) ctx.reply.header('Deprecation', 'true')
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
      }
      const job = await createOnLedger(tx, ctx, registry, kind)
      if (!job) throw new ApiError('conflict', 'A registry with this id exists; try again')
      await tx.audit({ action: 'createRegistry', subject: id })
      const policy = { type: 'OneOf' as const, policy: body.policy, addOnly: body.addOnly }
      return tx.answer(jobStarted(ctx, job, { id: bareHex(id), policy, type: method.registryType }))
    })
  },
})

function methodFor({ statusMethods }: Context, text: string): StatusMethod {
  const method = statusMethods.ofRegistry(text)
  if (method !== undefined) return method
  throw invalid(`type must be one of ${REGISTRY_TYPES.join(', ')}`)
}

async function ownDidOf(tx: Tx, policy: string[]): Promise<string> {
  for (const did of policy) if (await actingKeyHere(tx, did)) return did
  throw new ApiError('unsupported_policy', 'The policy must include one of your DIDs that can act on the ledger')
}
