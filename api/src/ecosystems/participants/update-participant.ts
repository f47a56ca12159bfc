import { Type } from 'typebox'
import { NO_JOB } from '../../ledger/write/wait-for-job.js'
import { ApiError, invalid } from '../../platform/errors.js'
import type { Context } from '../../platform/http/context.js'
import { textRules } from '../../platform/http/input/member-rules.js'
import { pointerTo } from '../../platform/http/input/pointer.js'
import { operation } from '../../platform/http/operation.js'
import { EXAMPLE } from '../../platform/http/reference/examples.js'
import { JOB } from '../job-kinds.js'
import { namedSchemas, rememberSchemas } from '../names/schema.store.js'
import { hashesOf, namesOf, type SchemaRef } from '../names/schema-ref.js'
import { refuseEndingOpenness } from '../pending/open-schemas.js'
import { freeText, infoUrlRules, webUrlOrEmpty } from '../registries/text.js'
import { answerAccepted, startRegistryJob, WAITING } from '../registry-job.js'
import { hasRights, rightsFacts } from '../rights.js'
import { waitUntilIndexed } from '../wait-until-indexed.js'
import type { ParticipantRow } from './participant.queries.js'
import {
  IGNORED_IN_PATCH,
  InfoUrl,
  Participant,
  ParticipantParams,
  ParticipantStatus,
  SchemaList,
} from './participant.shape.js'
import { reviseParticipant } from './participant.store.js'
import { participantView, presentParticipant } from './participant.view.js'
import { ownParticipant, type ParticipantAccess, withTeamOf } from './participant-access.js'
import { isSuspended, type ParticipantChange, planChange, rightsOf, type WantedChange } from './participant-change.js'
import { participantToBe } from './participant-to-be.js'
import { keepReason } from './suspension-reason.store.js'

/** The most characters of a reason. */
const REASON_MAX = 1000

const Reason = Type.String({
  minLength: 1,
  maxLength: REASON_MAX,
  pattern: '\\S',
  description:
    'With `status: suspended`: why. Anyone may read it beside the suspension, also on the ecosystem’s page, and in answers about the past; the ledger does not hold it. Sent again it replaces the one that stands',
})

export const updateParticipant = operation({
  method: 'PATCH',
  url: '/trust-registries/:registryId/participants/:participantId',
  operationId: 'updateParticipant',
  tags: ['trustRegistries'],
  summary: 'Suspend or readmit a participant, or change its schemas',
  description:
    'By the convener. A list of schemas replaces the one of its role; a list that is left out stays. `status` suspends or unsuspends the DID on the ledger in whatever role it has. Who accepted no invitation here (`accepted: false`) and is left without any schema is removed: the answer is the last of it, and `status: suspended` together with that is refused. Name and logo come from the profile, `suspendedAt` from the ledger: values sent are ignored, and named in Accredit-Ignored. A schema that anyone may verify takes no verifiers (409): close it first. `infoUrl` is kept of who accepted an invitation here; the participant itself may change it.',
  auth: 'key',
  role: 'member',
  ledgerWrite: true,
  tenancy: 'shared',
  input: 'deciding',
  params: ParticipantParams,
  body: Type.Object({
    ...IGNORED_IN_PATCH,
    status: Type.Optional(
      Type.Union(ParticipantStatus.anyOf, { description: 'Suspends it or admits it again; left out: as it is' }),
    ),
    reason: Type.Optional(Reason),
    issuerSchemas: Type.Optional(SchemaList),
    verifierSchemas: Type.Optional(SchemaList),
    infoUrl: Type.Optional(InfoUrl),
  }),
  examples: {
    Suspend: { status: 'suspended' },
    'Other rights': { issuerSchemas: [EXAMPLE.schema], verifierSchemas: [] },
  },
  rules: (body, services) => [
    ...infoUrlRules(body, services),
    ...textRules(body, { reason: (text) => freeText(text, 'reason') }),
  ],
  response: { 200: Participant },
  errors: ['forbidden', 'not_found', 'ledger_unavailable'],
  handler: async (ctx, { params, body }) => {
    ctx.ignore(
      Object.keys(IGNORED_IN_PATCH)
        .filter((name) => name in body)
        .map((name) => pointerTo([name])),
    )
    const access = await ownParticipant(ctx, params.registryId, params.participantId)
    const isConvenersPart = (body.status ?? body.issuerSchemas ?? body.verifierSchemas) !== undefined
    if (isConvenersPart && !access.standing.is_owner)
      throw new ApiError('forbidden', 'Only the convener may change status and schemas')
    const reason = reasonOf(body)
    const issuer = body.issuerSchemas && (await namedSchemas(ctx, body.issuerSchemas, 'issuerSchemas'))
    const verifier = body.verifierSchemas && (await namedSchemas(ctx, body.verifierSchemas, 'verifierSchemas'))
    const infoUrl = body.infoUrl === undefined ? undefined : webUrlOrEmpty(body.infoUrl, 'infoUrl')

    const suspended = body.status === undefined ? undefined : body.status === 'suspended'
    const wanted = { suspended, issuer: issuer && hashesOf(issuer), verifier: verifier && hashesOf(verifier) }
    const { job, isAhead, answer } = await store(ctx, access, wanted, { infoUrl, issuer, verifier, reason })
    return (await waitUntilIndexed(ctx, job)) && !(isAhead && job.id === NO_JOB.id)
      ? presentParticipant(ctx, access.registry.id, access.participant.did, answer)
      : answer
  },
})

const NOTHING_LEFT =
  'This DID accepted no invitation here: without any schema it is no participant any more, and there is nothing to suspend'

/** Throws 400 for a reason without a suspension. */
function reasonOf({ reason, status }: { reason?: string; status?: string }): string | undefined {
  if (reason === undefined) return undefined
  if (status !== 'suspended') throw invalid('reason goes with status: suspended', { field: 'reason' })
  return freeText(reason, 'reason').trim()
}

interface Named {
  infoUrl: string | undefined
  reason: string | undefined
  issuer: SchemaRef[] | undefined
  verifier: SchemaRef[] | undefined
}

async function store(ctx: Context, access: ParticipantAccess, wanted: WantedChange, named: Named) {
  const { registry } = access
  const { did } = access.participant
  return ctx.db.transaction(withTeamOf(ctx, access.participant), async (tx) => {
    const { present, toBe: participant } = await participantToBe(tx, ctx, access.participant)
    const newly = named.verifier?.filter(({ hash }) => !participant.verifier_ids.includes(hash)) ?? []
    await refuseEndingOpenness(tx, ctx, registry.id, newly)
    const change = planChange(registry.id, participant, wanted, { now: ctx.clock.now(), present })
    if (wanted.suspended && participant.team_id === null && !hasRights(change.rights)) throw invalid(NOTHING_LEFT)
    const action = {
      kind: JOB.change,
      registryId: registry.id,
      actor: registry.convener,
      calls: change.calls,
      data: { did },
    }
    const job = await startRegistryJob(tx, ctx, action)
    const presentUrl = participant.info_url ?? ''
    const info_url = named.infoUrl ?? presentUrl
    // This change leaves other members alone, which somebody else may change at the same moment.
    const shown = {
      ...(info_url !== presentUrl && { info_url }),
      ...(change.suspendedSince?.getTime() !== participant.suspended_since?.getTime() && {
        suspended_since: change.suspendedSince,
      }),
    }
    if (Object.keys(shown).length > 0) await reviseParticipant(tx, registry.id, did, shown, ctx.clock.now())
    const { reason } = named
    // A suspension without a reason does not take over the one of another.
    if (reason !== undefined || change.suspended !== isSuspended(participant)) {
      const changed = { registry_id: registry.id, did, team_id: ctx.team, reason: reason ?? null }
      await keepReason(tx, { ...changed, jobId: job.id, now: ctx.clock.now() })
    }
    await rememberSchemas(tx, [...(named.issuer ?? []), ...(named.verifier ?? [])])
    await tx.audit({
      action: 'updateParticipant',
      subject: registry.id,
      detail: { did },
      before: { suspended: isSuspended(participant), ...rightsFacts(rightsOf(participant)), infoUrl: presentUrl },
      after: { suspended: change.suspended, ...rightsFacts(change.rights), infoUrl: info_url },
    })
    return {
      job,
      isAhead: (participant.suspended_at === null) !== (present.suspended_at === null),
      answer: await answerAccepted(tx, ctx, job, {
        ...accepted(ctx, participant, change, { ...named, infoUrl: info_url }),
        ...(job.isWaiting && WAITING),
      }),
    }
  })
}

/** The accepted change, for when the index does not have it in time. */
function accepted(ctx: Context, row: ParticipantRow, change: ParticipantChange, named: Named): Participant {
  return participantView({
    ...row,
    info_url: named.infoUrl ?? row.info_url,
    suspended_at: change.suspended ? (row.suspended_at ?? change.suspendedSince ?? ctx.clock.now()) : null,
    suspended_since: change.suspendedSince,
    suspended_by: row.suspended_at === null ? null : row.suspended_by,
    reason: named.reason ?? (isSuspended(row) ? row.reason : null),
    issuer_schemas: named.issuer ? namesOf(named.issuer) : row.issuer_schemas,
    verifier_schemas: named.verifier ? namesOf(named.verifier) : row.verifier_schemas,
  })
}
