import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonShape, parseJson, UnsafeJson } from './json.js'

type Tree = null | boolean | number | string | Tree[] | Map<string, Tree>

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5, depthSize: 'medium' },
    fc.oneof(fc.constant(null), fc.boolean(), fc.integer(), fc.string({ unit: 'grapheme' }), fc.constant('{":,"}\\')),
    fc.array(tie('tree'), { maxLength: 4 }),
    fc
      .array(fc.tuple(fc.string({ unit: 'grapheme', maxLength: 4 }), tie('tree')), { maxLength: 4 })
      .map((members) => new Map<string, Tree>(members)),
  ),
}))

/** Tells at which letters a text has an escape that it does not need. */
type Escapes = (letters: number) => boolean

const textOf = (value: string, escapes: Escapes): string =>
  `"${[...value].map((letter, at) => (escapes(at) ? escaped(letter) : JSON.stringify(letter).slice(1, -1))).join('')}"`

const escaped = (letter: string): string =>
  Array.from({ length: letter.length }, (_, at) => `\\u${letter.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')

function write(value: Tree, escapes: Escapes, twice?: Map<string, Tree>): string {
  if (Array.isArray(value)) return `[${value.map((item) => write(item, escapes, twice)).join(' ,')}]`
  if (!(value instanceof Map)) return typeof value === 'string' ? textOf(value, escapes) : JSON.stringify(value)
  const members = [...value].map(([name, member]) => `${textOf(name, escapes)} :${write(member, escapes, twice)}`)
  const [first] = value.keys()
  if (value === twice && first !== undefined) members.push(`${textOf(first, (at) => !escapes(at))}:7`)
  return `{${members.join(', ')}}`
}

function objectsIn(value: Tree): Map<string, Tree>[] {
  if (Array.isArray(value)) return value.flatMap(objectsIn)
  return value instanceof Map ? [...(value.size > 0 ? [value] : []), ...[...value.values()].flatMap(objectsIn)] : []
}

const limits = { numRuns: 200, interruptAfterTimeLimit: 10_000 }

test('a member that stands twice is refused at any depth, however its name is escaped, and nothing else is', () => {
  fc.assert(
    fc.property(tree, fc.func(fc.boolean()), fc.nat(), (value, escapes, which) => {
      const text = write(value, escapes)
      expect(parseJson(text)).toEqual(JSON.parse(text))
      const objects = objectsIn(value)
      const twice = objects[which % Math.max(1, objects.length)]
      if (twice !== undefined) expect(() => parseJson(write(value, escapes, twice))).toThrow(UnsafeJson)
    }),
    limits,
  )
})

test.each([
  ['{"a":1,"b":[{"x~/y":{},"c":1,"x~\\/\\u0079":2}]}', '/b/0/x~0~1y stands twice'],
  ['{"__proto__":1,"__proto__":2}', '/__proto__ stands twice'],
  ['{"":1,"":2}', '/ stands twice'],
  ['['.repeat(200_000), 'nests deeper'],
  ['{"a":[{"b":1e400}]}', '/a/0/b: the number is too large'],
  ['-1e309', 'The value: the number is too large'],
  ['{"a":[{"b":4.50000000000000000000001}]}', '/a/0/b: the number 4.50000000000000000000001 would be read as 4.5'],
  ['[9007199254740991.4]', '/0: the number 9007199254740991.4 would be read as 9007199254740991'],
  ['{"1e-400":"1e-400","x":-1e-400}', '/x: the number -1e-400 would be read as 0'],
])('%.60s is refused by name', (text, words) => {
  expect(() => parseJson(text)).toThrow(words)
})

test('the largest and the smallest numbers are read', () => {
  expect(parseJson('[1.7976931348623157e308, -1.7976931348623157e308, 5e-324]')).toEqual([
    Number.MAX_VALUE,
    -Number.MAX_VALUE,
    Number.MIN_VALUE,
  ])
})

test('depth and members are those of the text', () => {
  const shape = jsonShape(Buffer.from('{"a:b":[{"c\\"{":1}],"d":{}}'), 10)
  expect(shape).toEqual({ depth: 3, members: 3, parts: 5, isExact: true })
})
