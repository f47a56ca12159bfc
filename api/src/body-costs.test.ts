import { describe, expect, test } from 'vitest'
import { inTurn } from '../../test/support/in-turn.js'
import { EXAMPLE } from './platform/http/reference/examples.js'
import { allServed } from './platform/testing/all-served.js'
import { appWithTeam } from './platform/testing/for-all-tests.js'
import { requestAs } from './platform/testing/request-as.js'

const operations = allServed
  .flatMap((part) => part.operations)
  .filter(({ body, bodyUnread, method }) => body !== undefined && !bodyUnread && method !== 'GET')

const world = appWithTeam(allServed)

/** The most bytes of the bodies here: the default limit of operations, less the envelope. */
const MOST_BYTES = 1_000_000
const DEPTH = 60

const filled = (item: (index: number) => string, most: number): string[] => {
  const items: string[] = []
  for (let bytes = 0; items.length < most && bytes < MOST_BYTES; bytes += (items.at(-1)?.length ?? 0) + 1)
    items.push(item(items.length))
  return items
}
const list = (item: (index: number) => string, most = 1e6) => `[${filled(item, most).join(',')}]`
const object = (member: (index: number) => string, most = 1e6) => `{${filled(member, most).join(',')}}`
const deep = (inner: string) => `${'{"a":'.repeat(DEPTH)}${inner}${'}'.repeat(DEPTH)}`
const name = (index: number) => JSON.stringify(`${'~/'.repeat(20)}${index}`)

/** Values at the limit of a body: as many as fit, and as many as are read at all. */
const SHAPES: Record<string, string> = {
  'nulls, deep': deep(list(() => 'null')),
  'as many nulls as are read, deep': deep(list(() => 'null', 19_000)),
  'as many members named by escapes as are read, deep': deep(object((index) => `${name(index)}:null`, 19_000)),
  'members that nobody knows': object((index) => `"a${index}":1`),
  'as many such members as are read': object((index) => `"a${index}":1`, 19_000),
  'one text many times': list(() => '""'),
  'as many texts as are read': list(() => JSON.stringify(EXAMPLE.convener), 19_000),
  'lists in lists': list(() => '[[[[]]]]'),
  'as many lists in lists as are read': list(() => '[[]]', 6_000),
  'a member that stands twice': `{${object((index) => `"a${index}":1`, 19_000).slice(1, -1)},"a18000":1}`,
  'a number that nobody keeps': `[${list(() => '1', 19_000).slice(1, -1)},0.10000000000000000001]`,
}

/** The processor time of a piece of work, in milliseconds: the least of three, since others use the machine. */
async function costOf(work: () => unknown, times = 3): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let time = 0; time < times; time++) {
    const before = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}

/** Reading one of the larger bodies, which stands for the speed of this machine. */
const READING = SHAPES['as many such members as are read'] ?? ''
const MOST_READINGS = 40

/** The places of all objects and lists in an example: the example itself, and those inside it. */
function containersIn(value: unknown, place: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return []
  return [place, ...Object.entries(value).flatMap(([name, member]) => containersIn(member, [...place, name]))]
}

/** The example as JSON, with a text in the place of one of its parts. */
function written(value: unknown, [name, ...rest]: readonly string[], text: string): string {
  if (name === undefined || typeof value !== 'object' || value === null) return text
  const member = (key: string, part: unknown) => (key === name ? written(part, rest, text) : JSON.stringify(part))
  if (Array.isArray(value)) return `[${value.map((part, index) => member(String(index), part)).join(',')}]`
  return `{${Object.entries(value)
    .map(([key, part]) => `${JSON.stringify(key)}:${member(key, part)}`)
    .join(',')}}`
}

/** The most places of an example that are tried: those deeper inside are read by the same code. */
const MOST_PLACES = 2

/**
 * All shapes in place of the body, and those that are read at all in place of each part. Shapes that are not read at all
 * are refused before an operation has them: each operation has one of these in its turn.
 */
function bodiesOf(example: unknown, turn: number): { shape: string; body: string }[] {
  const shapes = Object.entries(SHAPES).map(([shape, text]) => ({ shape, text }))
  const read = shapes.filter(({ shape }) => shape.startsWith('as many'))
  const unread = shapes.filter((one) => !read.includes(one))
  const inside = containersIn(example).filter((place) => place.length > 0)
  return [
    ...[...read, ...inTurn(unread, turn)].map(({ shape, text }) => ({ shape, body: text })),
    ...inside.slice(0, MOST_PLACES).flatMap((place) =>
      read.map(({ shape, text }) => ({
        shape: `${shape}, at ${place.join('.')}`,
        body: written(example, place, text),
      })),
    ),
  ]
}

const named = operations.map((op, turn) => [op.operationId, op, turn] as const)
describe.each(named)('%s', (_id, { method, url, examples = {} }, turn) => {
  test('costs no more than reading its body some times, whatever the body holds', async () => {
    const path = url.replace(/:[A-Za-z0-9]+/g, EXAMPLE.trustRegistry)
    const [example] = Object.values(examples)
    const unit = await costOf(() => JSON.parse(READING))
    const send = (body: string) => requestAs(world().app, world().team, method, path, body)
    await send('{}')
    const most = MOST_READINGS * unit
    for (const { shape, body } of bodiesOf(example, turn)) {
      let cost = await costOf(() => send(body), 1)
      if (cost > most) cost = await costOf(() => send(body))
      expect(cost, shape).toBeLessThan(most)
    }
  })
})
