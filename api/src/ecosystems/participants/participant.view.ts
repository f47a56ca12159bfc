import type { Did, Hex32 } from '@accredit/chain'
import type { Context } from '../../platform/http/context.js'
import { notFound } from '../../platform/http/errors.js'
import { readPoint } from '../read-point.js'
import { type ParticipantRow, participantByDid } from './participant.queries.js'
import type { Participant } from './participant.shape.js'
import { roleOf } from './role.js'

export type ParticipantFacts = Omit<ParticipantRow, 'registry_id' | 'issuer_ids' | 'verifier_ids'>

/**
 * Returns the time since which a participant may do nothing. The ledger's suspension counts; the service's only while
 * there is no right to suspend. A deactivated DID is authorised nowhere, which clients know as suspended.
 */
function suspendedAt(row: ParticipantFacts): Date | null {
  const hasRights = row.issuer_schemas.length + row.verifier_schemas.length > 0
  return row.suspended_at ?? row.deactivated_at ?? (hasRights ? null : row.suspended_since)
}

export function participantView(row: ParticipantFacts): Participant {
  const suspended = suspendedAt(row)
  return {
    id: row.id,
    did: row.did,
    name: row.name ?? row.did,
    description: row.description ?? '',
    logoUrl: row.logo_url ?? '',
    infoUrl: row.info_url ?? '',
    status: suspended ? 'suspended' : 'active',
    role: roleOf(row.issuer_schemas, row.verifier_schemas),
    created: row.created.toISOString(),
    suspendedAt: suspended?.toISOString() ?? '',
    ...(suspended !== null &&
      row.deactivated_at === null && {
        ...(row.suspended_by !== null && { suspendedBy: row.suspended_by }),
        ...(row.reason !== null && { reason: row.reason }),
      }),
    deactivatedAt: row.deactivated_at?.toISOString() ?? '',
    issuerSchemas: row.issuer_schemas,
    verifierSchemas: row.verifier_schemas,
    prices: row.prices.flatMap(({ schema, prices }) =>
      Object.entries(prices).map(([currency, digits]) => ({ schema, currency, digits })),
    ),
    accepted: row.team_id !== null,
    ...(row.team_id !== null && { userId: row.team_id }),
  }
}

/** Returns the roles of one DID in an ecosystem, as members of the ecosystem's public record. */
export function membershipView(row: ParticipantFacts) {
  const { role, status, name, logoUrl, infoUrl } = participantView(row)
  return {
    participantRole: role,
    participantStatus: status,
    participantName: name,
    participantLogoUrl: logoUrl,
    participantInfoUrl: infoUrl,
  }
}

/** Returns a participant as it stands now; `accepted` while the index does not have it. */
export async function presentParticipant(
  ctx: Context,
  registry: Hex32,
  did: Did,
  accepted?: Participant,
): Promise<Participant> {
  const point = await readPoint(ctx)
  const row = await ctx.db.read(ctx.scope, (reader) => participantByDid(reader, point, registry, did))
  const participant = row ? participantView(row) : accepted
  if (!participant) throw notFound('Participant')
  return participant
}
