import { beforeAll, describe, expect, it } from 'vitest'
import { type Good, goodRequests } from './support/good-requests.js'
import { inTurn } from './support/in-turn.js'
import { INPUT_CLASSES } from './support/input-classes.js'
import { type OwnEnvelope, ownEnvelopes } from './support/own-envelopes.js'
import { peopleOf } from './support/people.js'
import {
  type Answer,
  isOfEnding,
  isOfSponsors,
  type NamedOperation,
  operations,
  requestsWith,
} from './support/requests.js'
import { apiUrl, databaseUrl } from './support/shared-stack.js'
import { anotherTeam } from './support/team.js'

/** Values in the place of others: they break code that only checks whether a member exists. */
const HOSTILE: unknown[] = [
  { toString: 2 },
  [{ toString: 2 }],
  { id: { toString: 2 }, type: { toString: 2 }, length: -1 },
]

/** The imports of DIDs that are held here already. */
const HELD = new Set(['importDid', 'importDidDocument'])

type Place = readonly (string | number)[]

const everything = await operations(apiUrl)
const all = everything.filter((operation) => !isOfSponsors(operation) && !isOfEnding(operation))
const writing = all.filter(({ requestBody }) => requestBody !== undefined)
const apiKey = await anotherTeam('Hostile members')
const people = await peopleOf(databaseUrl, apiKey)
const request = requestsWith(apiKey, apiUrl, people.newSession)

let good: Record<string, Good>
beforeAll(async () => {
  good = await goodRequests(apiUrl, apiKey, people)
})

/** The whole body, and every member in it; `isInner`: an object or a list. */
function placesIn(value: unknown, place: Place = []): { place: Place; isInner: boolean }[] {
  if (typeof value !== 'object' || value === null) return [{ place, isInner: false }]
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value)
  return [{ place, isInner: true }, ...keys.flatMap((key) => placesIn(Reflect.get(value, key), [...place, key]))]
}

function withAt(value: unknown, [head, ...rest]: Place, other: unknown): unknown {
  if (head === undefined || typeof value !== 'object' || value === null) return other
  const changed = withAt(Reflect.get(value, head), rest, other)
  return Array.isArray(value) ? value.with(Number(head), changed) : { ...value, [head]: changed }
}

const named = (some: NamedOperation[]) =>
  some.map((operation, turn) => [operation.operationId, operation, turn] as const)

describe.each(named(writing))('%s', (id, { method }, turn) => {
  it('is done as it should be, and refuses or bears anything else in each place of its body', async () => {
    const { path, bodies } = good[id] ?? { path: '', bodies: [] }
    expect(bodies, `a good body of ${id}`).not.toEqual([])
    for (const body of bodies) {
      const first = await request(method, path, body)
      expect([200, 201, ...(HELD.has(id) ? [409] : [])], JSON.stringify(first.body)).toContain(first.status)
      // Each object and list is tried with all, the values inside them in turn.
      const hostile = placesIn(body).flatMap(({ place, isInner }, n) =>
        (isInner ? HOSTILE : inTurn(HOSTILE, turn + n)).map((value) => withAt(body, place, value)),
      )
      for (const changed of hostile) {
        const answer = await request(method, path, changed)
        expect(answer.status, `${JSON.stringify(changed)}: ${JSON.stringify(answer.body)}`).toBeLessThan(500)
      }
    }
  })
})

/** The ways to write a name wrong, each one edit, or another case, away. */
const MISSPELT: ((name: string) => string)[] = [
  // One letter more.
  (name) => name.slice(0, 1) + name,
  // Two letters swapped.
  (name) => {
    const at = [...name].findIndex((letter, index) => index > 0 && letter !== name[index - 1])
    return name.slice(0, at - 1) + name.charAt(at) + name.charAt(at - 1) + name.slice(at + 1)
  },
  // Another case.
  (name) => (name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase()),
]

/** Misspells names, each in another way than the one before it. @returns one list of them with what was meant, or more */
const misspelt = (names: readonly string[], turn: number): (readonly [wrong: string, meant: string])[][] =>
  inTurn([...MISSPELT.keys()], turn).map((first) =>
    names
      .map((name, n) => [MISSPELT[(first + n) % MISSPELT.length]?.(name) ?? '', name] as const)
      .filter(([name]) => !names.includes(name)),
  )
/** No name that any operation knows is near it. */
const UNRELATED = 'zzqqxx'
const STRICT = { prefer: 'handling=strict' }

interface Told {
  path: string
  message: string
}
const problemsOf = ({ body }: Answer): Told[] => body?.problems ?? []
const pointer = (place: Place) => place.map((step) => `/${step}`).join('')

function expectNamed(answer: Answer, path: string, name: string): void {
  expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 400, body: { type: 'unknown_member' } })
  const { message = '' } = problemsOf(answer).find((problem) => problem.path === path) ?? {}
  // Two names that differ in their case only may both be meant.
  expect(message.toLowerCase(), `${path} in ${JSON.stringify(answer.body)}`).toContain(
    `did you mean ${name.toLowerCase()}?`,
  )
}

/** Checks an operation's treatment of members of the body that it does not know, or that are null. */
async function checkEnvelope(
  send: (body: unknown) => Promise<Answer>,
  body: unknown,
  envelope: OwnEnvelope,
  { isDeciding, turn }: { isDeciding: boolean; turn: number },
) {
  const { place, members, optional, nullable } = envelope
  const present = placeValue(body, place)
  const changed = (added: Record<string, unknown>) => send(withAt(body, place, { ...present, ...added }))
  for (const wrong of misspelt(members, turn)) {
    const answer = await changed(Object.fromEntries(wrong.map(([name]) => [name, 'x'])))
    for (const [name, meant] of wrong) expectNamed(answer, pointer([...place, name]), meant)
  }
  if (isDeciding) {
    const paths = problemsOf(await changed(Object.fromEntries(optional.map((name) => [name, null])))).map(
      ({ path }) => path,
    )
    expect(paths).toEqual(optional.map((name) => pointer([...place, name])))
    return
  }
  for (const name of optional) {
    const { [name]: _, ...rest } = present
    const [without, withNull] = [await send(withAt(body, place, rest)), await changed({ [name]: null })]
    const told = `${name}: ${JSON.stringify(withNull.body)}`
    if (nullable.includes(name)) expect(withNull.status, told).toBeLessThan(500)
    else expect([withNull.status, withNull.body?.type], told).toEqual([without.status, without.body?.type])
  }
}

function placeValue(body: unknown, place: Place): Record<string, unknown> {
  const value = place.reduce<unknown>((inner, step) => Object(inner)[step], body)
  return { ...Object(value) }
}

async function checkParameters(
  send: (query: string) => Promise<Answer>,
  names: readonly string[],
  { isDeciding, turn }: { isDeciding: boolean; turn: number },
) {
  for (const wrong of misspelt(names, turn)) {
    if (wrong.length === 0) continue
    const answer = await send(wrong.map(([name]) => `${name}=1`).join('&'))
    for (const [name, meant] of wrong) expectNamed(answer, `?${name}`, meant)
  }
  if (!isDeciding || names.length === 0) return
  for (const blank of ['', 'undefined']) {
    const refused = names.filter((name) => name !== 'issuerDID' || blank === '')
    const answer = await send(refused.map((name) => `${name}=${blank}`).join('&'))
    const paths = problemsOf(answer).map(({ path }) => path)
    expect(paths.filter((path) => path.startsWith('?'))).toEqual(refused.map((name) => `?${name}`))
  }
}

const someId = `0x${'ab'.repeat(32)}`
const pathOf = ({ path, operationId }: NamedOperation) => good[operationId]?.path ?? path.replace(/\{[^}]+\}/g, someId)

describe.each(named(all))('%s', (id, operation, turn) => {
  const inputClass = operation['x-input-class']
  const send = (query: string, body: unknown = undefined, headers = {}): Promise<Answer> => {
    const path = pathOf(operation)
    return request(operation.method, `${path}${path.includes('?') ? '&' : '?'}${query}`, body, headers)
  }

  it('has the class of input that was decided for it', () => {
    expect(inputClass).toBe(INPUT_CLASSES[id])
  })

  it('refuses or names what it does not know, in its parameters and in its body', async () => {
    const [body] = good[id]?.bodies ?? []
    const answer = await send(`${UNRELATED}=1`, body)
    const strict = await send(`${UNRELATED}=1`, body, STRICT)
    if (inputClass === 'standard')
      return expect([answer, strict].map(({ body }) => body?.type)).not.toContain('unknown_member')
    // Other problems, such as an id of nothing, are told beside it.
    const problems = expect.arrayContaining([expect.objectContaining({ path: `?${UNRELATED}` })])
    expect(strict).toMatchObject({ status: 400, body: { type: 'unknown_member', problems } })
    const isDeciding = inputClass === 'deciding'
    if (isDeciding) expect(answer.body).toMatchObject({ type: 'unknown_member', problems })
    // A request that is refused for something else ignores nothing.
    else if (answer.body?.type !== 'invalid_request')
      expect(answer.headers.get('accredit-ignored')).toBe(`?${UNRELATED}`)

    const names = (operation.parameters ?? []).filter((one) => one.in === 'query').map(({ name }) => name)
    await checkParameters(
      send,
      names.filter((name) => name !== 'dryRun'),
      { isDeciding, turn },
    )
    const schema = operation.requestBody?.content['application/json']?.schema
    for (const body of good[id]?.bodies ?? []) {
      for (const envelope of ownEnvelopes(schema, body)) {
        const { place } = envelope
        const added = withAt(body, place, { ...placeValue(body, place), [UNRELATED]: 1 })
        const path = pointer([...place, UNRELATED])
        const answer = isDeciding ? await send('', added) : await send('', added, STRICT)
        expect(problemsOf(answer).map((problem) => problem.path)).toEqual([path])
        if (!isDeciding) expect((await send('', added)).headers.get('accredit-ignored')).toBe(path)
        await checkEnvelope((body) => send('', body), body, envelope, { isDeciding, turn })
      }
    }
  })
})

it('every operation that has a class is there, and a new one has none until somebody decides', () => {
  expect(everything.map(({ operationId }) => operationId).sort()).toEqual(Object.keys(INPUT_CLASSES).sort())
})

it.each(['trustRegistryId', 'verifierDID', 'challenge', 'domain', 'at'])(
  'refuses the question %s inside a bare document, where nobody would answer it',
  async (name) => {
    const [wrapper, bare] = good.verifyCredential?.bodies ?? []
    for (const document of [bare, Object(wrapper).data])
      expect(await request('POST', '/verify', { ...document, [name]: '1' })).toMatchObject({
        status: 400,
        body: { type: 'unknown_member', problems: [{ path: `/${name}` }] },
      })
  },
)
