import { parseHex32, schemaId } from '@accredit/chain'
import { sql } from 'kysely'
import { anyOf } from '../platform/database/any-of.js'
import type { Reader, Tx } from '../platform/database/database.js'
import type { TeamId } from '../platform/database/ids.js'
import { lockByName } from '../platform/database/lock-by-name.js'
import { json } from '../platform/database/tables.js'
import type { Page } from '../platform/http/pagination.js'
import type { JsonObject } from './check/schema-rules.js'
import type { SchemasTable } from './schema.tables.js'
import { contextOf } from './schema-context.js'
import { camelName, contextUri, fileOf, schemaUri } from './schema-name.js'

/** A schema as the rest of the service needs it. */
export interface HostedSchema {
  /** Its address. */
  id: string
  hash: string
  document: JsonObject
  contextUrl: string
  context: JsonObject
}

export interface SchemaRow extends Pick<SchemasTable, 'id' | 'hash' | 'owner_name'> {
  team_id: TeamId
  document: JsonObject
  created: Date
}

const recordColumns = ['id', 'hash', 'team_id', 'owner_name', 'document', 'created'] as const
const hostedColumns = ['id', 'hash', 'document', 'context_url as contextUrl', 'context'] as const

/** Returns the hash of a schema that is named by its URI, or by the hash itself. */
export const hashOf = (uriOrHash: string): string => parseHex32(uriOrHash) ?? schemaId(uriOrHash)

/**
 * Returns a hosted schema, also a deleted one: credentials that were issued with it stay verifiable. Readable in every
 * scope.
 */
export function findSchema(reader: Reader, uriOrHash: string): Promise<HostedSchema | undefined> {
  return reader.selectFrom('schemas').select(hostedColumns).where('hash', '=', hashOf(uriOrHash)).executeTakeFirst()
}

/** Returns the record of any team's schema that was not deleted. */
export function findRecord(reader: Reader, uriOrHash: string): Promise<SchemaRow | undefined> {
  return reader
    .selectFrom('schemas')
    .select(recordColumns)
    .where('hash', '=', hashOf(uriOrHash))
    .where('deleted', 'is', null)
    .executeTakeFirst()
}

/** Tells whether an address was given to a schema of the team, which may be deleted by now. */
export async function isSchemaOf(reader: Reader, team: TeamId, uri: string): Promise<boolean> {
  const found = await reader
    .selectFrom('schemas')
    .select('id')
    .where('hash', '=', schemaId(uri))
    .where('id', '=', uri)
    .where('team_id', '=', team)
    .executeTakeFirst()
  return found !== undefined
}

/** A record with its document as text: a page of documents is slow to parse, and this code does not look into it. */
export interface ListedSchema extends Omit<SchemaRow, 'document'> {
  text: string
}

/** Returns the team's schemas and, among those with the given hashes, everyone's; newest first. */
export function listRecords(
  reader: Reader,
  team: TeamId,
  hashes: readonly string[],
  page: Page,
): Promise<ListedSchema[]> {
  return reader
    .selectFrom('schemas')
    .select(['id', 'hash', 'team_id', 'owner_name', 'created', sql<string>`document::text`.as('text')])
    .where((where) => where.or([where('team_id', '=', team), where('hash', '=', anyOf(hashes))]))
    .where('deleted', 'is', null)
    .orderBy('n', 'desc')
    .offset(page.offset)
    .limit(page.limit)
    .execute()
}

export interface NewSchema {
  team: TeamId
  name: string
  document: JsonObject
  /** The public base URL of hosted schemas. */
  base: string
  now: Date
}

/** Stores a schema under the next version of its name in the team, and gives it its address and context. */
export async function insertSchema(tx: Tx, { team, name, document, base, now }: NewSchema): Promise<SchemaRow> {
  const typeName = camelName(name)
  const { version, milliseconds } = await nextFile(tx, team, typeName, now)
  const file = fileOf({ name: typeName, version, milliseconds })
  const uri = schemaUri(base, file)
  const contextUrl = contextUri(base, file)
  const owner = await tx.selectFrom('teams').select('name').where('id', '=', team).executeTakeFirst()
  return tx
    .insertInto('schemas')
    .values({
      id: uri,
      hash: schemaId(uri),
      file,
      team_id: team,
      owner_name: owner?.name ?? '',
      name,
      type_name: typeName,
      version,
      milliseconds,
      document: json(published(document, { uri, contextUrl, version })),
      context_url: contextUrl,
      context: json(contextOf(typeName, document)),
      created: now,
    })
    .returning(recordColumns)
    .executeTakeFirstOrThrow()
}

/** The members of a document that the service writes itself, or leaves out. */
export const REPLACED = ['$id', '$metadata', 'author'] as const

/** Returns the document as it is hosted: with its address as `$id`, and the address of its context. */
function published(
  document: JsonObject,
  { uri, contextUrl, version }: { uri: string; contextUrl: string; version: number },
) {
  const { $schema, ...said } = document
  const rest = Object.fromEntries(Object.entries(said).filter(([name]) => !REPLACED.some((one) => one === name)))
  const $metadata = { version, uris: { jsonSchema: uri, jsonLdContext: contextUrl } }
  return { ...($schema === undefined ? {} : { $schema }), $id: uri, $metadata, ...rest }
}

/** Versions count per team and name; the time in a file name is unique among all files of that name. */
async function nextFile(
  tx: Tx,
  team: TeamId,
  typeName: string,
  now: Date,
): Promise<{ version: number; milliseconds: number }> {
  await lockByName(tx, `service.schemas ${typeName}`)
  const last = await tx
    .selectFrom('schemas')
    .select(({ fn }) => [
      fn.max('milliseconds').as('milliseconds'),
      fn.max('version').filterWhere('team_id', '=', team).as('version'),
    ])
    .where('type_name', '=', typeName)
    .executeTakeFirst()
  return { version: (last?.version ?? 0) + 1, milliseconds: Math.max(now.getTime(), (last?.milliseconds ?? 0) + 1) }
}

/** Takes a team's schema out of all lists. Returns its address; undefined when the team has no such schema. */
export async function removeSchema(tx: Tx, team: TeamId, hash: string, now: Date): Promise<string | undefined> {
  const row = await tx
    .updateTable('schemas')
    .set({ deleted: now })
    .where('hash', '=', hash)
    .where('team_id', '=', team)
    .where('deleted', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return row?.id
}

/** Returns a hosted file's content: the schema document, or its JSON-LD context. */
export async function hostedFile(
  reader: Reader,
  file: string,
  part: 'document' | 'context',
): Promise<JsonObject | undefined> {
  const row = await reader.selectFrom('schemas').select(part).where('file', '=', file).executeTakeFirst()
  return row?.[part]
}
