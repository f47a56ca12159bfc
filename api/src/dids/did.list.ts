import './did.tables.js'
import { parseDid, verificationMethodId } from '@accredit/chain'
import { sql } from 'kysely'
import type { Static } from 'typebox'
import type { Reader } from '../platform/database/database.js'
import type { TeamId } from '../platform/database/ids.js'
import type { Page } from '../platform/http/pagination.js'
import type { DidListItem } from './did.shape.js'
import type { DidType } from './did.tables.js'

export type DidItem = Static<typeof DidListItem>

interface ItemRow {
  did: string
  type: DidType
  controllers: string[]
  updated: Date
  job_id: string | null
  key_id: number | null
  name: string | null
  description: string | null
  logo_url: string | null
  credentials: number
  registries: { id: string; name: string; logoUrl: string }[]
}

interface Filter {
  team: TeamId
  did?: string
  type?: DidType
}

/** DIDs of a team with what belongs to them elsewhere, newest first. */
export async function didItems(
  reader: Reader,
  { team, did, type }: Filter,
  { offset, limit }: Page,
): Promise<DidItem[]> {
  const { rows } = await sql<ItemRow>`
    select d.did, d.type, d.controllers, d.updated, d.job_id, k.key_id, p.name, p.description, p.logo_url,
      (select count(*) from credentials c where c.team_id = d.team_id and c.issuer = d.did) as credentials,
      (select coalesce(json_agg(json_build_object('id', t.registry_id, 'name', t.name, 'logoUrl', t.logo_url) order by t.registry_id), '[]')
        from did_trust_registries t where t.did = d.did) as registries
    from dids d
    left join profiles p on p.did = d.did and p.valid_to is null
    left join lateral (
      select max(key_id) as key_id from did_keys where did = d.did and kind = 'Ed25519' and state in ('pending', 'active')) k on true
    where d.team_id = ${team} and d.status in ('pending', 'active')
      and (${did ?? null}::text is null or d.did = ${did ?? null})
      and (${type ?? null}::text is null or d.type = ${type ?? null})
    order by d.n desc offset ${offset} limit ${limit}`.execute(reader)
  return rows.map(itemOf)
}

function itemOf(row: ItemRow): DidItem {
  const { did, name } = row
  const parsed = parseDid(did)
  return {
    id: did,
    did,
    type: row.type,
    controller: row.controllers[0] ?? did,
    credentialCount: String(row.credentials),
    updatedLast: row.updated.toISOString(),
    profile: name === null ? null : { name, logo: row.logo_url ?? '', description: row.description ?? '' },
    keyId: parsed === undefined ? '' : verificationMethodId(parsed, row.key_id ?? 1),
    jobId: row.job_id,
    trustRegistries: row.registries,
  }
}
