import { expect, it } from 'vitest'
import { FormatError } from '../../format-error.js'
import type { Json, JsonObject } from '../../json.js'
import { checkInlineContexts } from './inline-context.js'
import { CREDENTIALS_V1 } from './known-contexts.js'

/** The code and the sentence of a refusal; undefined: there was none. */
function refusalOf(document: JsonObject): [string, string] | undefined {
  try {
    checkInlineContexts(document)
    return undefined
  } catch (error) {
    if (error instanceof FormatError) return [error.code, error.message]
    throw error
  }
}

const TERM = 'https://v.example/term'

it.each<[string, Json]>([
  ['a URL', CREDENTIALS_V1],
  ['URLs and terms', [CREDENTIALS_V1, { term: TERM }, { other: { '@id': TERM } }]],
  ['a term with a type and a container', { term: { '@id': TERM, '@type': '@id', '@container': '@list' } }],
  ['a version, a base and a vocabulary', { '@version': 1.1, '@base': 'https://v.example/', '@vocab': TERM }],
  ['nothing', {}],
])('a context may be %s', (_, context) => {
  const document = { '@context': context, claim: [{ a: 1 }, null, 'x'] }
  expect(refusalOf(document)).toBeUndefined()
  expect(refusalOf({ '@context': CREDENTIALS_V1, verifiableCredential: [document, 'a token', null] })).toBeUndefined()
})

it.each<[string, Json, RegExp]>([
  ['null', [CREDENTIALS_V1, null], /neither a URL nor an object/],
  ['a number', 7, /neither a URL nor an object/],
  ['a list in a list', [[CREDENTIALS_V1]], /neither a URL nor an object/],
  ['another version', { '@version': 1 }, /defines @version/],
  ['a version as a text', { '@version': '1.1' }, /defines @version/],
  ['a base that is none', { '@base': null }, /defines @base/],
  ['a vocabulary that is none', { '@vocab': null }, /defines @vocab/],
  ['an import', { '@import': TERM }, /defines @import/],
  ['a language', { '@language': 'de' }, /defines @language/],
  ['a term of nothing', { a: TERM, term: null }, /defines term/],
  ['a term with a number', { term: { '@id': 7 } }, /defines term/],
  ['a term with a context', { term: { '@id': TERM, '@context': TERM } }, /defines term/],
  ['a term with several containers', { term: { '@id': TERM, '@container': ['@set'] } }, /defines term/],
  ['a long name', { [`${'x'.repeat(64)}yz`]: 7 }, /defines x{64} as/],
])('a context may not hold %s', (_, context, told) => {
  const document = { '@context': context }
  const refusal = ['invalid_context', expect.stringMatching(told)]
  expect(refusalOf(document)).toEqual(refusal)
  expect(refusalOf({ '@context': CREDENTIALS_V1, verifiableCredential: [{}, document] })).toEqual(refusal)
})

it.each<[string, Json]>([
  ['in a member', { '@context': {} }],
  ['further down', { a: { b: { '@context': {} } } }],
  ['in a list', [1, { a: [{}, { '@context': {} }] }]],
])('no context stands below the top: %s', (_, claim) => {
  const refusal = ['malformed', expect.stringContaining('below its top')]
  expect(refusalOf({ claim })).toEqual(refusal)
  expect(refusalOf({ verifiableCredential: { '@context': CREDENTIALS_V1, claim } })).toEqual(refusal)
})
