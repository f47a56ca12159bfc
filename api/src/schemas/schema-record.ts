import type { Static } from 'typebox'
import type { TeamId } from '../platform/database/ids.js'
import type { SchemaRecord } from './schema.shape.js'
import type { ListedSchema, SchemaRow } from './schema.store.js'

/** Returns a schema as a caller of this team sees it. */
export function schemaRecord(row: SchemaRow, team: TeamId): Static<typeof SchemaRecord> {
  return { ...aboutSchema(row, team), schema: row.document }
}

/** Returns the same as JSON, of a document that was not parsed. */
export function schemaRecordText(row: ListedSchema, team: TeamId): string {
  return `{"schema":${row.text},${JSON.stringify(aboutSchema(row, team)).slice(1)}`
}

function aboutSchema(row: Omit<SchemaRow, 'document'>, team: TeamId): Omit<Static<typeof SchemaRecord>, 'schema'> {
  return {
    id: row.id,
    uri: row.id,
    created: row.created.toISOString(),
    isOwner: row.team_id === team,
    ownerName: row.owner_name,
    ownerLogo: '',
  }
}

/** Returns the record of a schema that registries list and nobody hosts here. */
export function unhostedRecord(hash: string, since: Date): Static<typeof SchemaRecord> {
  const created = since.toISOString()
  return { id: hash, uri: '', schema: null, created, isOwner: false, ownerName: '', ownerLogo: '' }
}
