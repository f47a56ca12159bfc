import fc from 'fast-check'
import type { Credential } from '../../formats/credential-format.js'
import { isObject, type Json } from '../../formats/json.js'
import { mutantOf, type Place, placesOf, withValue } from '../../formats/json-ld/mutants.testing.js'
import type { Line } from './lines.testing.js'
import { closed, opened } from './opened.testing.js'

/** A changed credential, as the text of its JSON: numbers and members have forms that JSON.stringify does not write. */
export interface Mutation {
  what: string
  text: string
}

type Kind = (credential: Credential) => fc.Arbitrary<Mutation>

const placesIn = (credential: Credential): Place[] =>
  [...placesOf(opened(credential), [], true)].filter(({ path }) => path.length > 0)

const named = (what: string, { path }: Place, more: Json = ''): string =>
  `${path.join('/')} ${what} ${JSON.stringify(more)}`.trim()

/** A change of one place of the tree: each of its values is one mutation. undefined: nothing to change there. */
const inPlace =
  (what: string, valuesFor: (value: Json) => readonly (Json | undefined)[]): Kind =>
  (credential) => {
    const places = placesIn(credential)
      .map((place) => ({ place, values: valuesFor(place.value).filter((other) => other !== place.value) }))
      .filter(({ values }) => values.length > 0)
    if (places.length === 0) return NOTHING
    return fc
      .constantFrom(...places)
      .chain(({ place, values }) => fc.record({ place: fc.constant(place), other: fc.constantFrom(...values) }))
      .map(({ place, other }) => ({
        what: named(what, place, other ?? null),
        text: textOfTree(credential, withValue(opened(credential), place.path, other)),
      }))
  }

const NOTHING: fc.Arbitrary<Mutation> = fc.constant({ what: 'nothing', text: '' })

const textOfTree = (credential: Credential, tree: Json | undefined): string =>
  JSON.stringify(isObject(tree) ? closed(credential, tree) : (tree ?? null))

/** The same in another type, or nearly. */
function otherTypes(value: Json): Json[] {
  if (typeof value === 'string')
    return [[value], { '@value': value }, { id: value }, [[value]], value === '' ? null : Number(value) || 0]
  if (typeof value === 'number')
    return [String(value), [value], -value, value + Number.EPSILON * value * 2, { '@value': value }]
  if (typeof value === 'boolean') return [!value, String(value), Number(value), [value]]
  if (Array.isArray(value))
    return [value[0] ?? null, [value], [...value].reverse(), [...value, ...value], Object.assign({}, value), []]
  return isObject(value)
    ? [[value], [value, value], Object.values(value), {}, JSON.stringify(value), { '@graph': value }]
    : []
}

const LOOK_ALIKES: Record<string, string> = { a: 'а', e: 'е', o: 'о', c: 'с', p: 'р', i: 'і', S: 'Ѕ', M: 'М', K: 'K' }

/** Texts that look alike, or that careless readers take for the same. */
function otherTexts(value: Json): string[] {
  if (typeof value !== 'string') return []
  const at = [...value].findIndex((sign) => sign in LOOK_ALIKES)
  const alike = at < 0 ? [] : [[...value].map((sign, place) => (place === at ? LOOK_ALIKES[sign] : sign)).join('')]
  return [
    ...alike,
    ...['NFD', 'NFC', 'NFKC'].map((form) => value.normalize(form)),
    ...[value.toUpperCase(), value.toLowerCase(), `${value} `, ` ${value}`, `${value}\u200b`, `\ufeff${value}`],
    ...[
      value.replace(/\.000Z$/, 'Z'),
      value.replace(/Z$/, '+00:00'),
      value.replace(/Z$/, 'z'),
      value.replace('T', ' '),
    ],
    ...[encodeURI(value), `${value}#`, `${value}/`, value.replace('://', ':')],
  ]
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** Other texts for the same bytes, in an encoding that is read loosely; or with the bits behind the last byte set. */
function otherEncodings(value: Json): string[] {
  if (typeof value !== 'string' || value.length < 20 || !/^[\w+/=.-]+$/.test(value)) return []
  const last = ALPHABET.indexOf(value.at(-1) ?? '')
  const siblings = [1, 2, 3].map((bits) => `${value.slice(0, -1)}${ALPHABET[last ^ bits] ?? ''}`)
  const middle = value.length >> 1
  return [
    ...(last < 0 ? [] : siblings),
    ...[`${value}=`, `${value}==`, `${value}A`, value.slice(0, -1), `${value}\n`],
    ...[`${value.slice(0, middle)} ${value.slice(middle)}`, `${value.slice(0, middle)}\n${value.slice(middle)}`],
    ...[
      value.replaceAll('-', '+').replaceAll('_', '/'),
      `u${value}`,
      value.replace(/^z/, 'Z'),
      value.replace(/^z/, ''),
    ],
  ]
}

/** A member of one object stands in another: of the document in the proof, of a header in the payload. */
const moved: Kind = (credential) => {
  const places = placesIn(credential)
  const objects = [{ path: [], value: opened(credential) }, ...places.filter(({ value }) => isObject(value))]
  const members = places.filter(({ path }) => typeof path.at(-1) === 'string')
  if (members.length === 0) return NOTHING
  return fc
    .record({ from: fc.constantFrom(...members), to: fc.constantFrom(...objects), isCopy: fc.boolean() })
    .map(({ from, to, isCopy }) => {
      const name = String(from.path.at(-1))
      const whole = opened(credential)
      const without = isCopy ? whole : (withValue(whole, from.path, undefined) ?? null)
      const target = [...to.path, name]
      const tree = withValue(without, target, from.value)
      return {
        what: named(isCopy ? 'copied to' : 'moved to', from, target.join('/')),
        text: textOfTree(credential, tree),
      }
    })
}

/** Texts of the whole JSON that other parsers read in another way. */
const FORMS: readonly (readonly [what: string, form: RegExp, other: (match: string) => string])[] = [
  ['a number with a fraction of zero', /(?<=":)\d+(?=[,}])/, (number) => `${number}.0`],
  ['a number with an exponent', /(?<=":)\d+(?=[,}])/, (number) => `${number}e0`],
  ['a number with more digits than are kept', /(?<=":)\d+(?=[,}])/, (number) => `${number}.00000000000000000001`],
  ['a member twice, the other first', /"\w+":"[^"]*"/, (member) => `${member.replace(/:".*$/, ':"x"')},${member}`],
  ['a member twice, the other last', /"\w+":"[^"]*"/, (member) => `${member},${member.replace(/:".*$/, ':"x"')}`],
  [
    'a member twice, its name escaped',
    /"[a-z]\w*":"[^"]*"/,
    (member) => `${escaped(member).replace(/:".*$/, ':"x"')},${member}`,
  ],
  ['an escaped name', /"[a-z]\w*":/, (name) => escaped(name)],
  ['a name with a NUL', /"\w+":/, (name) => name.replace('":', '\\u0000":')],
  ['a value with half a character', /:"[^"]+"/, (value) => value.replace(/"$/, '\\ud800"')],
  ['__proto__ beside a member', /"\w+":"[^"]*"/, (member) => `"__proto__":{"x":1},${member}`],
]

const escaped = (text: string): string => text.replace(/[a-z]/, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`)

const inText: Kind = (credential) => {
  const text = JSON.stringify(credential)
  const found = FORMS.flatMap(([what, form, other]) =>
    [...text.matchAll(new RegExp(form, 'g'))].map(({ index, 0: match }) => ({
      what: `${what}: ${match}`,
      text: text.slice(0, index) + other(match) + text.slice(index + match.length),
    })),
  )
  return found.length === 0 ? NOTHING : fc.constantFrom(...found)
}

/** Bytes of a token that are others, gone, added or in another place; parts of it twice, gone or exchanged. */
const inBytes = (token: string): fc.Arbitrary<Mutation> =>
  fc
    .record({ at: fc.nat({ max: token.length - 1 }), sign: fc.constantFrom(...ALPHABET, '.', '~', '=', '%', ' ') })
    .chain(({ at, sign }) => {
      const [before, after] = [token.slice(0, at), token.slice(at + 1)]
      const parts = token.split(/(?<=[.~])/)
      const one = parts[at % parts.length] ?? ''
      return fc.constantFrom(
        { what: `byte ${at} is ${sign}`, token: before + sign + after },
        { what: `byte ${at} gone`, token: before + after },
        { what: `${sign} before byte ${at}`, token: before + sign + token.slice(at) },
        { what: `cut off at ${at}`, token: before },
        { what: 'a part twice', token: token.replace(one, one + one) },
        { what: 'a part gone', token: token.replace(one, '') },
        { what: 'parts turned round', token: [...parts].reverse().join('') },
        { what: 'another token behind it', token: `${token}~${token}` },
      )
    })
    .map(({ what, token: other }) => ({ what, text: JSON.stringify(other) }))

const ofDocument: Kind = (credential) =>
  isObject(credential)
    ? mutantOf(credential).map(({ what, document }) => ({ what, text: JSON.stringify(document) }))
    : NOTHING

const KINDS: readonly Kind[] = [
  inPlace('in another type', otherTypes),
  inPlace('looks alike', otherTexts),
  inPlace('encoded in another way', otherEncodings),
  inPlace('left out', () => [undefined]),
  moved,
  inText,
]

/** A good credential, changed in its structure or in its bytes: perhaps to the same in another form. */
export function mutationOf({ signed }: Pick<Line, 'signed'>, credential: Credential): fc.Arbitrary<Mutation> {
  const own = typeof credential === 'string' ? inBytes(credential) : ofDocument(credential)
  const weight = signed === 'token' ? KINDS.length : 2
  return fc
    .oneof({ weight, arbitrary: own }, ...KINDS.map((kind) => ({ weight: 1, arbitrary: kind(credential) })))
    .filter(({ text }) => text !== '' && text !== JSON.stringify(credential))
}
