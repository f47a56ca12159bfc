import type { JsonObject } from '../../formats/json.js'
import type { SchemaChecks } from '../check/schema-checks.js'
import { keywords } from '../check/schema-keywords.js'
import { SchemaRefused } from '../check/schema-rules.js'

/**
 * The keywords of which one makes a JSON document a schema; a document without any would be satisfied by everything.
 */
const TELLING = ['$schema', '$ref', 'type', 'required', 'enum', 'const', ...Object.values(keywords).flat()]

/**
 * Checks that a fetched document is a schema with at least one rule.
 *
 * @throws SchemaRefused
 */
export async function checkRemoteSchema(checks: SchemaChecks, team: number, document: JsonObject): Promise<void> {
  if ('@context' in document) throw new SchemaRefused('it is JSON-LD, not a JSON schema')
  if (!TELLING.some((keyword) => keyword in document)) throw new SchemaRefused('it is no JSON schema: it says nothing')
  await checks.accept(team, document)
}
