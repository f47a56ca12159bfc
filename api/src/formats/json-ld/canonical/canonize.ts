import { createHash } from 'node:crypto'
import jsonld from 'jsonld'
import type { HashOf } from '../../credential-format.js'
import { FormatError } from '../../format-error.js'
import { isObject, type JsonObject, textOf } from '../../json.js'
import { documentLoader, type ExtraContexts } from '../contexts/document-loader.js'
import { checkInlineContexts } from '../contexts/inline-context.js'
import { decideSharedTerms } from '../contexts/shared-terms.js'
import { TypeScopes } from '../contexts/type-scopes.js'
import { checkForm } from './standard-form.js'
import { checkAllStated, countStatements } from './statements.js'

/**
 * RDFC-1.0 of a JSON-LD document, as N-Quads. Members that have no meaning in its contexts are refused, never dropped:
 * what is dropped would not be signed. So is what could mislead a reader without changing the N-Quads (`checkForm`),
 * and what leaves none of them.
 * @throws FormatError
 */
export async function canonize(document: JsonObject, contexts: ExtraContexts): Promise<string> {
  decideSharedTerms(true)
  checkInlineContexts(document)
  const options = { base: null, documentLoader: documentLoader(contexts), safe: true } as const
  try {
    const expanded = await jsonld.expand(document, { ...options, contextResolver: new TypeScopes() })
    checkForm(document, expanded)
    const statements = countStatements(expanded)
    const canonical = await jsonld.canonize(expanded, {
      ...options,
      skipExpansion: true,
      algorithm: 'RDFC-1.0',
      format: 'application/n-quads',
      // A text's direction is signed as part of its datatype.
      rdfDirection: 'i18n-datatype',
    })
    checkAllStated(statements, canonical)
    return canonical
  } catch (error) {
    throw explained(error)
  }
}

/** Works in this thread, which may take a tenth of a second: the service asks its threads (`CanonicalHashes`). */
export const hashHere =
  (contexts: ExtraContexts): HashOf =>
  async (document) =>
    sha256(await canonize(document, contexts))

export const sha256 = (text: string | Uint8Array): Buffer => createHash('sha256').update(text).digest()

/** The library's errors carry what happened in `details`, at different depths. */
function explained(error: unknown): FormatError {
  for (const cause of causes(error)) if (cause instanceof FormatError) return cause
  const event = findEvent(error)
  const code = textOf(event?.code)
  const details = isObject(event?.details) ? event.details : {}
  if (code === 'invalid property')
    return new FormatError('unmapped_term', `no context defines "${String(details.property)}"`, { cause: error })
  if (code?.startsWith('relative'))
    return new FormatError(
      'relative_id',
      `"${String(details.id ?? details.type ?? details.object ?? '')}" is not a URI (${code})`,
      {
        cause: error,
      },
    )
  const text = error instanceof Error ? error.message : 'unreadable'
  if (text.startsWith('Maximum deep iterations'))
    return new FormatError('too_large', 'too many things in it look alike, such as a long list of one value', {
      cause: error,
    })
  return new FormatError('invalid_context', `the document is not valid JSON-LD: ${code ?? text.slice(0, 200)}`, {
    cause: error,
  })
}

function* causes(error: unknown): Generator<unknown> {
  let current: unknown = error
  for (let depth = 0; depth < 5 && typeof current === 'object' && current !== null; depth++) {
    yield current
    const details = 'details' in current ? current.details : undefined
    current = isRecord(details) && 'cause' in details ? details.cause : 'cause' in current ? current.cause : undefined
  }
}

function findEvent(error: unknown): JsonObject | undefined {
  for (const cause of causes(error)) {
    const details = isRecord(cause) ? cause.details : undefined
    if (isRecord(details) && isObject(details.event)) return details.event
  }
  return undefined
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
