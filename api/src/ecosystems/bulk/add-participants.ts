import { JobStarted } from '../../jobs/job.shape.js'
import type { Context } from '../../platform/http/context.js'
import { UnreadBody } from '../../platform/http/input/request-body.js'
import { operation } from '../../platform/http/operation.js'
import { EXAMPLE } from '../../platform/http/reference/examples.js'
import { JOB } from '../job-kinds.js'
import { namedSchemas, rememberSchemas } from '../names/schema.store.js'
import type { SchemaRef } from '../names/schema-ref.js'
import { type Access, ownRegistry } from '../registries/access.js'
import { RegistryParams } from '../registries/trust-registry.shape.js'
import { answerAccepted, startRegistryJob } from '../registry-job.js'
import { BulkRows, ROWS_MAX } from './bulk.shape.js'
import { insertNames, refuseAnother, requireNoOther, rowsInConflict } from './bulk.store.js'
import type { BulkPlan } from './bulk.worker.js'
import { type BulkEntry, refuseBadRows } from './bulk-rows.js'

const BODY_BYTES = 16 * 1024 * 1024

export const addParticipants = operation({
  method: 'POST',
  url: '/trust-registries/:registryId/participants/bulk',
  operationId: 'addParticipants',
  tags: ['trustRegistries'],
  summary: 'List many participants on the ledger, without invitations',
  description: `By the convener: 1 to ${ROWS_MAX} rows, as a JSON array or as \`application/x-ndjson\`, one for each DID. What a row names is added to what its DID has; \`name\` and \`logoUrl\` are shown until its owner makes a profile or accepts an invitation. All rows are looked at before anything is written, and a bad one refuses the request, as does one that names a verifier of a schema which anyone may verify. While such a job of the registry has not ended there is no other one (409). Rows are packed into as few ledger actions as it allows, each of which happens or not: the job's result counts rows (\`done\`, \`total\`) and names those that were refused (\`refused\`: row, did, type, message).`,
  auth: 'key',
  role: 'member',
  ledgerWrite: true,
  tenancy: 'owned',
  input: 'deciding',
  params: RegistryParams,
  body: BulkRows,
  bodyTypes: ['application/x-ndjson'],
  bodyUnread: true,
  limits: { bodyBytes: BODY_BYTES },
  examples: {
    'Two institutions': [
      { did: EXAMPLE.newcomer, name: 'University College London', issuerSchemas: [EXAMPLE.schema] },
      { did: EXAMPLE.convener, name: 'Bilkent Üniversitesi', verifierSchemas: [EXAMPLE.schema] },
    ],
  },
  response: { 200: JobStarted },
  errors: ['forbidden', 'not_found', 'ledger_unavailable'],
  handler: async (ctx, { params, body }) => {
    const access = await ownRegistry(ctx, params.registryId)
    const { id } = access.registry
    await ctx.db.read(ctx.scope, (reader) => refuseAnother(reader, JOB.bulk, id))
    const { vendorFeeMin: leastFee, limits } = ctx.config
    const task = { registryId: id, body: unread(body), depthLimit: limits.jsonDepth, leastFee }
    const plan = await ctx.rest(() => ctx.bulkPlans.plan(ctx.team, task))
    await check(ctx, access, plan.entries)
    return store(ctx, access, plan)
  },
})

/** The reference tells the form of a row; a thread checks it. */
function unread(body: unknown): Pick<UnreadBody, 'bytes' | 'isLines'> {
  if (!(body instanceof UnreadBody)) throw new Error('the body was read')
  return { bytes: body.bytes, isLines: body.isLines }
}

async function check(ctx: Context, { registry, point }: Access, entries: readonly BulkEntry[]): Promise<void> {
  const uris = schemasIn(entries).flatMap(({ uri }) => uri ?? [])
  await namedSchemas(ctx, uris, 'issuerSchemas and verifierSchemas')
  refuseBadRows(await ctx.db.read(ctx.scope, (reader) => rowsInConflict(reader, point, registry.id, entries)))
}

/** The schemas that rows name, each once. */
const schemasIn = (entries: readonly BulkEntry[]): SchemaRef[] => [
  ...new Map(
    entries.flatMap(({ issuer, verifier }) => [...issuer, ...verifier]).map((ref) => [ref.uri ?? ref.hash, ref]),
  ).values(),
]

async function store(ctx: Context, { registry }: Access, { entries, parts }: BulkPlan) {
  const action = {
    kind: JOB.bulk,
    registryId: registry.id,
    actor: registry.convener,
    calls: parts.map(({ call }) => call),
    oneByOne: true,
    items: parts.map(({ items }) => items),
  }
  return ctx.db.transaction(ctx.scope, async (tx) => {
    await requireNoOther(tx, JOB.bulk, registry.id)
    const job = await startRegistryJob(tx, ctx, action)
    await insertNames(tx, { registry: registry.id, team: ctx.team, job: job.id }, entries, parts)
    await rememberSchemas(tx, schemasIn(entries))
    await tx.audit({ action: 'addParticipants', subject: registry.id, after: { rows: entries.length } })
    return answerAccepted(tx, ctx, job, { id: job.id, data: {} })
  })
}
