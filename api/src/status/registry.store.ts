import type { Reader } from '../platform/database/database.js'
import type { ListTerms, RevocationRegistriesTable } from './registry.tables.js'

export type RegistryRow = Omit<RevocationRegistriesTable, 'n' | 'created'> & { created: Date }

export const registryColumns = [
  'id',
  'team_id',
  'creator',
  'policy',
  'add_only',
  'type',
  'purpose',
  'ttl_seconds',
  'messages',
  'length',
  'automatic',
  'issuing',
  'closed',
  'status',
  'job_id',
  'created',
] as const

/** A registry that anyone may ask about: not failed, not removed. */
export function findRegistry(reader: Reader, id: string): Promise<RegistryRow | undefined> {
  return reader
    .selectFrom('revocation_registries')
    .select(registryColumns)
    .where('id', '=', id)
    .where('status', 'not in', ['failed', 'removed'])
    .executeTakeFirst()
}

/** The terms of any registry that was made here: the past of one that was removed can be asked for. */
export function findTerms(reader: Reader, id: string): Promise<ListTerms | undefined> {
  return reader
    .selectFrom('revocation_registries')
    .select(['purpose', 'ttl_seconds', 'messages'])
    .where('id', '=', id)
    .executeTakeFirst()
}
