import type { Did, Hex32 } from '@accredit/chain'
import type { StartedJob } from '../../ledger/write/start-job.js'
import { NO_JOB } from '../../ledger/write/wait-for-job.js'
import type { TeamScope, Tx } from '../../platform/database/database.js'
import { ApiError } from '../../platform/errors.js'
import type { Context } from '../../platform/http/context.js'
import type { Profile } from '../../profiles/profile.store.js'
import { tellAccepted } from '../events/invitation-events.js'
import { JOB } from '../job-kinds.js'
import { rememberSchemas } from '../names/schema.store.js'
import { hashesOf, namesOf, parseSchemaRefs, type SchemaRef } from '../names/schema-ref.js'
import type { Participant } from '../participants/participant.shape.js'
import { holderOf, insertParticipant, takeInvitation } from '../participants/participant.store.js'
import { participantView } from '../participants/participant.view.js'
import { refuseEndingOpenness } from '../pending/open-schemas.js'
import type { RegistryRow } from '../registries/registry.queries.js'
import { rightsCalls, suspensionCall } from '../registry-calls.js'
import { answerAccepted, startRegistryJob, WAITING } from '../registry-job.js'
import { planGrant, planSuspension, type Rights, rightsFacts } from '../rights.js'
import type { Invitation } from './invitation-token.js'
import { handedOver, tokenUsed } from './invitations.js'

/**
 * A DID that wants to take part, and its standing in this registry already. A suspension outlives leaving and coming
 * back.
 */
export interface Guest {
  readonly did: Did
  readonly infoUrl: string
  readonly profile: Profile
  readonly rights: Rights
  readonly suspension: { readonly onLedger: Date | null; readonly here: Date | null }
}

export interface Acceptance {
  readonly invitation: Invitation
  readonly registry: RegistryRow
  readonly guest: Guest
}

export const alreadyIn = () => new ApiError('invite_already_accepted', 'This DID takes part in the ecosystem already')

interface Plan {
  readonly calls: Uint8Array[]
  readonly issuer: SchemaRef[]
  readonly verifier: SchemaRef[]
  /** True when the calls suspend the guest as well. */
  readonly suspends: boolean
}

function plan({ invitation, registry, guest: { did, rights, suspension } }: Acceptance): Plan {
  const issuer = parseSchemaRefs(invitation.issuerSchemas, 'issuerSchemas')
  const verifier = parseSchemaRefs(invitation.verifierSchemas, 'verifierSchemas')
  const granted = { issuer: hashesOf(issuer), verifier: hashesOf(verifier) }
  const calls = rightsCalls(registry.id, did, planGrant(rights, granted))
  // The DID was suspended while it had nothing to suspend: the ledger gets the suspension with the first right.
  const suspend = suspension.here && !suspension.onLedger ? planSuspension(true, granted) : undefined
  const suspends = calls.length > 0 && suspend !== undefined
  if (suspends) calls.push(suspensionCall(registry.id, did, suspend))
  return { calls, issuer, verifier, suspends }
}

/**
 * Stores the participant, the taken token and the convener's action in one transaction. The job belongs to the
 * accepting team. Nothing goes to the ledger without any new right, and the DID takes part at once.
 */
export async function storeAcceptance(
  ctx: Context,
  acceptance: Acceptance,
): Promise<{ job: StartedJob; answer: Participant }> {
  const planned = plan(acceptance)
  const writes = planned.calls.length > 0
  const scope = writes
    ? await withHolderOf(ctx, acceptance.invitation)
    : { ...ctx.scope, teams: [ctx.team, acceptance.invitation.team] as const }
  return ctx.db.transaction(scope, async (tx) => {
    const { invitation, registry, guest } = acceptance
    const newly = planned.verifier.filter(({ hash }) => !guest.rights.verifier.includes(hash))
    await refuseEndingOpenness(tx, ctx, registry.id, newly)
    const job = await startAcceptance(tx, ctx, acceptance, planned)
    const answer = await storeGuest(tx, ctx, acceptance, planned, job)
    if (job.id === NO_JOB.id)
      await tellAccepted(tx, [{ registryId: registry.id, did: guest.did, id: invitation.nonce, team: invitation.team }])
    await rememberSchemas(tx, [...planned.issuer, ...planned.verifier])
    const entry = {
      action: 'acceptInvitation',
      subject: registry.id,
      detail: { did: guest.did, nonce: invitation.nonce },
      before: rightsFacts(guest.rights),
      after: {
        issuerSchemas: planned.issuer.map(({ hash }) => hash),
        verifierSchemas: planned.verifier.map(({ hash }) => hash),
      },
    }
    await tx.audit(entry)
    // Its key acted.
    const [, holder] = scope.teams
    if (holder !== undefined && holder !== ctx.team) await tx.audit({ ...entry, team: holder })
    return { job, answer: await answerAccepted(tx, ctx, job, answer) }
  })
}

/**
 * Locks the caller's rows, and the key of a convener that may be another team's, in one transaction. No team has the
 * key of a convener that keeps its own.
 */
async function withHolderOf(ctx: Context, { convener, team }: Invitation): Promise<TeamScope> {
  const holder = await ctx.db.read('system', (reader) => holderOf(reader, convener))
  // The DID was imported since the invitation was read.
  if (holder !== undefined && holder !== team) throw handedOver()
  return holder === undefined ? ctx.scope : { ...ctx.scope, teams: [ctx.team, holder] }
}

function startAcceptance(
  tx: Tx,
  ctx: Context,
  { registry, guest, invitation }: Acceptance,
  { calls, issuer, verifier, suspends }: Plan,
): Promise<StartedJob> {
  const { id: registryId, convener: actor } = registry
  const data = {
    did: guest.did,
    issuer: hashesOf(issuer),
    verifier: hashesOf(verifier),
    suspends,
    invitation: invitation.nonce,
    invitedBy: invitation.team,
  }
  return startRegistryJob(tx, ctx, { kind: JOB.accept, registryId, actor, calls, data })
}

async function storeGuest(
  tx: Tx,
  ctx: Context,
  acceptance: Acceptance,
  planned: Plan,
  job: StartedJob,
): Promise<Participant> {
  const { invitation, registry, guest } = acceptance
  const { did, profile, rights, suspension, infoUrl } = guest
  const [created, registry_id, team_id] = [ctx.clock.now(), registry.id, ctx.team]
  const job_id = job.id === NO_JOB.id ? undefined : job.id
  const use = {
    nonce: invitation.nonce,
    registry_id,
    team_id,
    use: 'accepted',
    job_id: job_id ?? null,
    created,
  } as const
  if (!(await takeInvitation(tx, use))) throw tokenUsed()
  const texts = { name: profile.name, description: profile.description, logo_url: profile.logo, info_url: infoUrl }
  const row = { registry_id, did, team_id, ...texts, suspended_since: suspension.here, created }
  const id = await insertParticipant(tx, { ...row, job_id })
  if (id === undefined) throw alreadyIn()
  const participant = participantView({
    ...row,
    id,
    suspended_at: suspension.onLedger ?? suspension.here,
    deactivated_at: null,
    prices: [],
    suspended_by: null,
    reason: null,
    issuer_schemas: merged(planned.issuer, rights.issuer),
    verifier_schemas: merged(planned.verifier, rights.verifier),
  })
  return { ...participant, ...(job.isWaiting && WAITING) }
}

/** The granted schemas and those that the DID had before, each once. */
function merged(granted: readonly SchemaRef[], before: readonly Hex32[]): string[] {
  const known = new Set(hashesOf(granted))
  return [...before.filter((hash) => !known.has(hash)), ...namesOf(granted)]
}
