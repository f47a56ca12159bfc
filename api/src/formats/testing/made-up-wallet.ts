import { asArray, isObject, type JsonObject, textOf } from '../json.js'
import type { TestKey } from '../json-ld/testing.js'
import { decoded, NAME, nameIn, tagFor } from './made-up-format.js'

/** The question of a verifier, and the time of the answer. */
interface Question {
  nonce: string
  aud?: string
  created: string
}

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** The token with those claims that its holder shows. */
export function showing(token: string, ...names: string[]): string {
  const [credential, ...disclosures] = token.split('~')
  return [credential, ...disclosures.filter((one) => names.includes(String(nameIn(one))))].join('~')
}

/** A presentation of a token, signed with a holder's key. */
export async function keyBound(token: string, key: Pick<TestKey, 'sign'>, question: Question): Promise<string> {
  const asked = encoded(question)
  const signature = await key.sign(Buffer.from(`${token}~${asked}`))
  return `${token}~kb.${asked}.${Buffer.from(signature).toString('base64url')}`
}

/**
 * A presentation with one proof over several tokens. Of their status it shows the value that they are members of, and
 * neither index nor witness.
 */
export function derived(tokens: readonly string[], question: Question, accumulated: string, more: JsonObject = {}) {
  const shown = tokens.map((token) => {
    const [, encodedPayload, encodedTags] = token.split('~')[0]?.split('.') ?? []
    const payload = decoded(encodedPayload)
    const { status, ...signed } = isObject(payload) ? payload : {}
    const names = Object.keys(isObject(payload) ? payload : {}).sort()
    const tags = asArray(decoded(encodedTags)).filter((_, place) => names[place] !== 'status')
    const entries = asArray(status).filter(isObject)
    return {
      payload: {
        ...signed,
        ...(entries.length > 0 && {
          status: entries.map(({ type, registry }) => ({
            type: type ?? null,
            registry: registry ?? null,
            accumulated,
          })),
        }),
      },
      tags: tags.map((tag) => tagFor(textOf(tag) ?? '', question.nonce)),
    }
  })
  return `${NAME}.derived.${encoded({ ...question, ...more, tokens: shown })}`
}
