import type { Claims, NamedSchema } from '../../formats/credential-format.js'
import type { Json } from '../../formats/json.js'
import { OF_CREDENTIAL, OF_SUBJECT } from '../../formats/schema-types.js'
import { ApiError, invalid } from '../../platform/errors.js'
import type { Context } from '../../platform/http/context.js'
import { pointerTo } from '../../platform/http/input/pointer.js'
import { refusalOf } from '../../platform/http/problems.js'
import type { CredentialInput } from './credential-input.js'
import { type Documents, schemaOf } from './hosted.js'

/**
 * Returns the schema that a credential names, and compares the subject with it. One that is about the whole credential is
 * compared with that, once it is written (`compareDocument`).
 */
export async function schemaFor(
  ctx: Context,
  documents: Documents,
  uri: string,
  { subject, subjectName, wholeSchema }: CredentialInput,
): Promise<NamedSchema> {
  const found = await schemaOf(documents, uri)
  if ('reason' in found)
    throw invalid(
      `The schema ${uri} is not hosted here and cannot be had, so the subject cannot be checked: ${found.reason}`,
    )
  const { id, contextUrl, document } = found
  const { name, title } = document
  const shown = [name, title].find((text) => typeof text === 'string')
  const isOfWhole = wholeSchema !== undefined && contextUrl === undefined
  const schema: NamedSchema = { id, contextUrl, name: shown, document, type: isOfWhole ? OF_CREDENTIAL : OF_SUBJECT }
  if (isOfWhole) return schema
  // Schemas that are hosted here are about subjects, whatever a request calls them.
  if (wholeSchema !== undefined) ctx.ignore([wholeSchema])
  await compare(ctx, schema, { value: subject, what: 'The subject', place: [subjectName] })
  return schema
}

/** Compares a written credential with a schema that is about all of it. @throws 400 where it does not satisfy it */
export async function compareDocument(
  ctx: Pick<Context, 'schemaChecks' | 'team'>,
  schema: NamedSchema | undefined,
  { document }: Claims,
): Promise<void> {
  if (schema?.type !== OF_CREDENTIAL) return
  if (document === undefined)
    throw invalid(`A credential in this format is no document that a schema of type ${OF_CREDENTIAL} could be about`)
  await compare(ctx, schema, { value: document, what: 'The credential', place: [] })
}

interface Compared {
  value: Json
  what: string
  /** Its place in the credential of the request. */
  place: readonly string[]
}

async function compare(
  { schemaChecks, team }: Pick<Context, 'schemaChecks' | 'team'>,
  { document }: NamedSchema,
  { value, what, place }: Compared,
): Promise<void> {
  const outcome = await schemaChecks.forRequest(team).check(document, value)
  if (outcome.kind === 'unsatisfied')
    throw refusalOf(
      outcome.faults.map(({ place: [, ...inside], message }) => ({
        path: pointerTo(['credential', ...place, ...inside]),
        type: 'schema_mismatch',
        message: `${what} does not satisfy the schema: ${message}`,
      })),
    )
  if (outcome.kind === 'unchecked')
    throw new ApiError('schema_mismatch', `${what} cannot be checked against the schema: ${outcome.reason}`)
}
