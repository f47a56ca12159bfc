import type { Static } from 'typebox'
import { shareOf } from '../ledger/write/share.js'
import type { KeyKind } from '../ledger/write/signer-door.js'
import { startJob } from '../ledger/write/start-job.js'
import { jobStarted, NO_JOB } from '../ledger/write/wait-for-job.js'
import { ApiError, invalid } from '../platform/errors.js'
import type { Context } from '../platform/http/context.js'
import { textRules } from '../platform/http/input/member-rules.js'

import { oneOfTwo } from '../platform/http/input/spellings.js'
import { operation } from '../platform/http/operation.js'
import { EXAMPLE } from '../platform/http/reference/examples.js'
import { DidCreated, DidRequest } from './did.shape.js'
import { insertDid } from './did.store.js'
import type { StoredService } from './did.tables.js'
import { keyDid, ledgerDid } from './did-creation.js'
import { keyKindsWith } from './did-keys.js'
import { didParam } from './did-param.js'
import { isDeprecated, parseDidType, parseKeyType } from './did-type.js'
import { didcommServices } from './didcomm-service.js'
import { isTaken, readController } from './resolution/did-lookup.js'

export const createDid = operation({
  method: 'POST',
  url: '/dids',
  operationId: 'createDid',
  tags: ['dids'],
  summary: 'Create a DID',
  description:
    'Its keys are made by the service: `#keys-1` (Ed25519) signs, `#keys-2` is for BBS signatures, `#keys-3` for messages. Of another keyType there is `#keys-4` beside them, which is published and does not act. It can be used at once; the job tells when it is final on the ledger. A did:key needs no ledger: its job is "0".',
  auth: 'key',
  role: 'member',
  ledgerWrite: true,
  tenancy: 'owned',
  body: DidRequest,
  examples: {
    'A DID on the ledger': {},
    'One that another DID of yours controls too': { controller: EXAMPLE.convener, includeDidcommService: false },
  },
  rules: (body, { config }) =>
    textRules(body, {
      type: (text) => parseDidType(text, config.didTypeAliases),
      keyType: parseKeyType,
      keytype: parseKeyType,
      controller: (text) => didParam(text, 'controller'),
      didcommServiceUrl: (text) => didcommServices({ didcommServiceUrl: text }, config.apiUrl),
    }),
  response: { 200: DidCreated },
  errors: ['ledger_not_configured', 'did_method_not_supported'],
  handler: async (ctx, { body }) => {
    const kind = parseKeyType(oneOfTwo(body, 'keyType', 'keytype') ?? undefined)
    const type = parseDidType(body.type ?? undefined, ctx.config.didTypeAliases)
    const services = didcommServices(withoutNulls(body), ctx.config.apiUrl)
    const controller = await checkGiven(ctx, body)
    if (isDeprecated(kind)) ctx.reply.header('Deprecation', 'true')
    const controllers = controller === undefined ? [] : [controller]
    if (type === 'ledgerA') return createLedgerDid(ctx, { kind, controllers, services })
    if (controller !== undefined) throw invalid('A did:key controls itself: leave controller out')
    if (kind !== 'Ed25519') throw invalid('A did:key is one Ed25519 key: leave keyType out')
    return createKeyDid(ctx)
  },
})

type Request = Static<typeof DidRequest>

const withoutNulls = ({ didcommServiceUrl, includeDidcommService }: Request) => ({
  ...(typeof didcommServiceUrl === 'string' ? { didcommServiceUrl } : {}),
  includeDidcommService: includeDidcommService ?? true,
})

/**
 * Returns the controller that was asked for. Refuses a given `did`: nobody can choose the id, which follows from the
 * first key.
 */
async function checkGiven(ctx: Context, body: Request): Promise<string | undefined> {
  const [did, controller] = [body.did?.trim() ?? '', body.controller?.trim() ?? '']
  if (did === '' && controller === '') return undefined
  return ctx.db.read(ctx.scope, async (reader) => {
    if (did !== '') {
      const taken = await isTaken(reader, didParam(did, 'did'))
      if (taken) throw new ApiError('conflict', 'The DID exists already')
      throw invalid('did cannot be chosen: it follows from the first key; leave it out')
    }
    return readController(reader, controller)
  })
}

interface LedgerDidWish {
  kind: KeyKind
  controllers: string[]
  services: StoredService[]
}

async function createLedgerDid(ctx: Context, { kind, controllers, services }: LedgerDidWish) {
  const handle = `did/${ctx.requestId}`
  const made = await ctx.signer.makeKeys(handle, keyKindsWith(kind), shareOf(ctx, ctx.team))
  const { did, hexDid, keys, action } = ledgerDid({ made, salt: ctx.random.bytes(32), controllers, services })
  return ctx.db.transaction(ctx.scope, async (tx) => {
    const now = ctx.clock.now()
    const job = await startJob(tx, ctx, {
      kind: 'did.create',
      subject: did,
      data: { keys: keys.length },
      parts: [{ did, action }],
    })
    insertDid(tx, { did, team: ctx.team, type: 'ledgerA', controllers, services, keys, jobId: job.id, now })
    await tx.audit({ action: 'createDid', subject: did, after: { type: 'ledgerA', controllers, keyType: kind } })
    // This comes before the commit: keys of a DID that was answered must not be deleted as never used.
    await ctx.signer.bindKeys(handle)
    const data = { did, controller: controllers[0] ?? did }
    return tx.answer({ ...jobStarted(ctx, job, { ...data, ...(hexDid === undefined ? {} : { hexDid }) }), ...data })
  })
}

async function createKeyDid(ctx: Context) {
  const handle = `did/${ctx.requestId}`
  const [made] = await ctx.signer.makeKeys(handle, ['Ed25519'], shareOf(ctx, ctx.team))
  const { did, keys } = keyDid(made)
  return ctx.db.transaction(ctx.scope, async (tx) => {
    const now = ctx.clock.now()
    insertDid(tx, { did, team: ctx.team, type: 'key', controllers: [], services: [], keys, now })
    await tx.audit({ action: 'createDid', subject: did, after: { type: 'key' } })
    await ctx.signer.bindKeys(handle)
    const data = { did, controller: did }
    return tx.answer({ ...jobStarted(ctx, NO_JOB, data), ...data })
  })
}
