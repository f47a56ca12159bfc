import { describe, expect, test } from 'vitest'
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

/** The bodies of an operation with this value: in place of it, and of each member of its example. */
function bodiesWith(example: unknown, value: string): string[] {
  const members = typeof example === 'object' && example !== null ? Object.entries(example) : []
  const within = (entries: [string, unknown][], put: (inner: unknown) => string): string[] =>
    entries.map(([changed]) => {
      const written = entries.map(([key, member]) => `${JSON.stringify(key)}:${key === changed ? value : put(member)}`)
      return `{${written.join(',')}}`
    })
  return [value, ...within(members, (member) => JSON.stringify(member))]
}

describe.each(operations.map((op) => [op.operationId, op] as const))('%s', (_id, { method, url, examples = {} }) => {
  test('costs no more than reading its body some times, whatever the body holds', async () => {
    const path = url.replace(/:[A-Za-z0-9]+/g, EXAMPLE.trustRegistry)
    const [example] = Object.values(examples)
    const unit = await costOf(() => JSON.parse(READING))
    const send = (body: string) => requestAs(world().app, world().team, method, path, body)
    await send('{}')
    for (const [shape, value] of Object.entries(SHAPES))
      for (const body of bodiesWith(example, value)) {
        const most = MOST_READINGS * unit
        let cost = await costOf(() => send(body), 1)
        if (cost > most) cost = await costOf(() => send(body))
        expect(cost, `${shape}: ${body.slice(0, 100)}`).toBeLessThan(most)
      }
  })
})
