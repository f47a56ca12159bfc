import { type RawBuilder, sql } from 'kysely'
import { validAt } from '../temporal.js'

/** A registry at two blocks. */
export interface Points {
  registryId: string
  earlier: number
  later: number
}

/** The block of the oldest of the places that a participant has now. */
function joinedAt(registryId: string, later: number): RawBuilder<unknown> {
  return sql`select min(p.begun) from (
    select ledger.issuer_since(i.registry_id, i.schema_id, i.did, ${later}::int) as begun from ledger.issuer i
      where i.did = a.did and i.registry_id = ${registryId} and ${validAt('i', later)}
    union all select v.from_block from ledger.verifier v
      where v.did = a.did and v.registry_id = ${registryId} and ${validAt('v', later)}
    union all select d.from_block from ledger.delegation d
      where d.delegate = a.did and d.registry_id = ${registryId} and ${validAt('d', later)}) p`
}

/**
 * Selects the event of a change: the last one between the points that concerns the changed thing and caused the change.
 */
export function eventOf({ registryId, earlier, later }: Points): RawBuilder<unknown> {
  const inBlocks = sql`e.block > ${earlier}::int and e.block <= ${later}::int`
  const between = sql`e.trust_registry_id = ${registryId} and ${inBlocks}`
  const last = sql`order by e.block desc, e.index desc limit 1`
  const name = (...names: string[]) => sql`e.name = any(${names.map((one) => `TrustRegistry.${one}`)}::text[])`
  const isUnlisted = (column: string) => sql`ledger.is_unlisted(${sql.ref(column)})`
  const place = name('IssuerChanged', 'VerifierChanged')
  return sql`
    (select e.* from ledger.event e
      where a.did is not null and e.subject = a.did and ${between} and case a.change
        when 'participantJoined' then e.block = (${joinedAt(registryId, later)})
          and (${place} and ${isUnlisted('e.before')} or ${name('DelegateAdded')})
        when 'participantLeft' then ${place} and ${isUnlisted('e.after')} or ${name('DelegateRemoved')}
        when 'suspended' then ${name('IssuerSuspended', 'VerifierSuspended')}
        when 'unsuspended' then ${name('IssuerUnsuspended', 'VerifierUnsuspended')}
        when 'delegateAdded' then ${name('DelegateAdded')} and e.after->>'issuer' = a.via
        when 'delegateRemoved' then ${name('DelegateRemoved')} and e.before->>'issuer' = a.via
        else e.schema_id = a.schema_id
          and e.name = case a.role when 'issuer' then 'TrustRegistry.IssuerChanged' else 'TrustRegistry.VerifierChanged' end
          and case a.change when 'rightGained' then ${isUnlisted('e.before')} when 'rightLost' then ${isUnlisted('e.after')} else true end
      end ${last})
    union all
    (select e.* from ledger.event e
      where a.change = 'deactivated' and e.subject = a.did and e.name = 'Did.Deactivated' and ${inBlocks} ${last})
    union all
    (select e.* from ledger.event e
      where a.did is null and a.schema_id is not null and e.schema_id = a.schema_id and ${between} and case a.change
        when 'schemaAdded' then ${name('SchemaAdded')}
        when 'schemaRemoved' then ${name('SchemaRemoved')}
        else ${name('SchemaPublicSet')}
      end ${last})
    union all
    (select e.* from ledger.event e
      where a.did is null and a.schema_id is null and ${between} and case a.change
        when 'created' then ${name('TrustRegistryInitialized')}
        when 'removed' then ${name('TrustRegistryRemoved')}
        when 'nameChanged' then ${name('TrustRegistryUpdated')} and e.before->'name' <> e.after->'name'
        when 'governanceChanged' then ${name('TrustRegistryUpdated')} and e.before->'govFramework' <> e.after->'govFramework'
        when 'convenerChanged' then ${name('Transferred')}
        else ${name('TransferProposed')}
      end ${last})`
}
