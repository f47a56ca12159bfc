import { jobStarted, NO_JOB } from '../ledger/write/wait-for-job.js'
import { ApiError, invalid } from '../platform/errors.js'
import type { Context } from '../platform/http/context.js'
import type { Mismatch } from '../platform/http/input/mismatch-words.js'

import { pointerTo } from '../platform/http/input/pointer.js'
import { isBlank } from '../platform/http/input/spellings.js'
import { operation } from '../platform/http/operation.js'
import { type Problem, refusalOf } from '../platform/http/problems.js'
import { isOwnAddress } from '../platform/security/own-addresses.js'
import { type JsonObject, nameOf, SchemaRefused } from './check/schema-rules.js'
import { SCHEMA_EVENTS } from './schema.events.js'
import { SchemaDocument, SchemaStarted } from './schema.shape.js'
import { insertSchema, isSchemaOf, REPLACED } from './schema.store.js'
import { schemaRecord } from './schema-record.js'

export const createSchema = operation({
  method: 'POST',
  url: '/schemas',
  operationId: 'createSchema',
  tags: ['schemas'],
  summary: 'Host a JSON schema for credentials',
  description:
    'The body is the schema document. It gets a public address, which is its id, and a JSON-LD context. `$id` and `$metadata` are replaced by those, and `author` is left out: the header Accredit-Ignored names them. An `$id` under the addresses of this service must be that of a schema of yours; any other is 409. A document never changes: another version of it is another schema. At most 64 kB, nested at most 32 deep; at most 1,000 steps for one value, which is how many schemas apply to it over all ways through references, allOf, anyOf and oneOf; patterns in RE2 syntax; no references to other documents. Nothing is written to the ledger: the job is "0".',
  auth: 'key',
  role: 'member',
  tenancy: 'owned',
  body: SchemaDocument,
  examples: {
    'A degree': {
      $schema: 'http://json-schema.org/draft-07/schema#',
      name: 'Degree',
      type: 'object',
      properties: { id: { type: 'string' }, degree: { type: 'string' } },
      required: ['degree'],
      additionalProperties: false,
    },
  },
  response: { 200: SchemaStarted },
  handler: async (ctx, { body }) => {
    const { name, document } = await accepted(ctx, body)
    await requireOwnId(ctx, document.$id)
    ctx.ignore(REPLACED.filter((member) => !isBlank(document[member])).map((member) => pointerTo([member])))
    return ctx.db.transaction(ctx.scope, async (tx) => {
      const now = ctx.clock.now()
      const row = await insertSchema(tx, { team: ctx.team, name, document, base: ctx.config.schemaUrl, now })
      await tx.audit({ action: 'createSchema', subject: row.id, after: { name } })
      await tx.emit(SCHEMA_EVENTS[0], { status: 'finalized', id: row.id }, ctx.team, row.id)
      return tx.answer(jobStarted(ctx, NO_JOB, schemaRecord(row, ctx.team)))
    })
  },
})

/** @throws 409 for an address under our own hosts that is not that of a schema of the team */
async function requireOwnId(ctx: Context, id: unknown): Promise<void> {
  if (typeof id !== 'string' || !isOwnAddress(ctx.config, id)) return
  const isOwn = await ctx.db.read(ctx.scope, (reader) => isSchemaOf(reader, ctx.team, id))
  if (!isOwn) throw new ApiError('conflict', `$id: ${id} is an address of this service that was not given to your team`)
}

/** Returns the document and its name, when it is a schema that can be hosted. */
async function accepted(ctx: Context, body: JsonObject): Promise<{ name: string; document: JsonObject }> {
  if (Object.keys(body).length === 0) throw invalid('The body is empty: send the schema document')
  const problems: Problem[] = []
  const name = await gathered(problems, () => nameOf(body))
  const document = { ...body, name: body.name ?? name }
  await gathered(problems, () => ctx.schemaChecks.accept(ctx.team, document))
  if (name === undefined || problems.length > 0) throw refusalOf(problems)
  return { name, document }
}

/** Runs a check, and adds what it refuses to the problems. */
async function gathered<T>(problems: Problem[], check: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await check()
  } catch (error) {
    if (!(error instanceof SchemaRefused)) throw error
    const { faults, message } = error
    problems.push(...(faults.length > 0 ? faults : [{ place: [], message }]).map(problemOf))
    return undefined
  }
}

const problemOf = ({ place, message }: Mismatch): Problem => ({ path: pointerTo(place), message })
