import { failed } from '../check.js'
import type { Recognised, Unreadable } from '../credential-format.js'
import { asArray, type Json, type JsonObject, textOf } from '../json.js'

/** The types of documents that hold a token and say nothing else (data model 2.0, section 4.13). */
const TYPES = { EnvelopedVerifiableCredential: 'vc', EnvelopedVerifiablePresentation: 'vp' } as const
const DATA = /^data:application\/(?:(vc|vp|dc)\+)?(jwt|sd-jwt),([\w.~-]+)$/

/** The token in a document, and the kind that it has to be of. */
interface Envelope extends Pick<Recognised, 'kind'> {
  readonly token: string
  readonly wrong?: undefined
}

/** Returns the token in a document that holds one, or why it cannot be read; undefined for any other document. */
export function envelopedToken(document: JsonObject): Envelope | Unreadable | undefined {
  const types = asArray(document.type)
  const type = types.find(isEnvelope)
  if (type === undefined) return undefined
  const kind = TYPES[type] === 'vp' ? 'presentation' : 'credential'
  const { '@context': _, id, type: _type, ...more } = document
  const [, of, form, token = ''] = DATA.exec(textOf(id) ?? '') ?? []
  const isOfItsType = of === undefined || (of === 'vp') === (kind === 'presentation')
  const isOfItsForm = (form === 'sd-jwt') === token.includes('~')
  if (form === undefined || types.length > 1 || Object.keys(more).length > 0 || !isOfItsType || !isOfItsForm)
    return {
      kind,
      wrong: failed('malformed', `it is an ${type}, whose id has to be a token as a data: URL and all that it says`),
    }
  return { kind, token }
}

const isEnvelope = (type: Json): type is keyof typeof TYPES => typeof type === 'string' && Object.hasOwn(TYPES, type)
