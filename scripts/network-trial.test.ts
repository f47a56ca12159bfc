import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { afterEach, expect, test, vi } from 'vitest'
import { faults } from './network/faults/all.js'
import { Freshness } from './network/faults/judges/freshness.js'
import { questionsOn } from './network/faults/judges/questions.js'
import { figureText } from './network/figures/figure.js'
import { freePort } from './start/processes/ports.js'

interface Told {
  status?: number
  body?: string
  block?: number
  ageMs?: number
  stale?: string
  /** The time of its block; by default as its age says. */
  time?: string
}

/** A row of the page, as api/src/pages/participants.ts writes it. */
const row = (did: string, name: string, standing: string) =>
  `<tr role="row">\n<th><bdi>${name}</bdi>\n<bdi class="id">${did}</bdi></th>\n<td role="cell"><span class="state">${standing}</span></td></tr>\n`
const SUSPENDED = 'Suspended since 1 May 2026 by <bdi>Council</bdi>'
const pageWith = (standing: string, ofOther: string) =>
  `<h1>Degrees</h1>${row('did:svc:2', 'Other University', ofOther)}${row('did:svc:1', 'University', standing)}`
const PAGE = pageWith('In good standing', SUSPENDED)
/** The answers of a product where all is well, by a part of the address. */
const RIGHT: Readonly<Record<string, string>> = {
  '/authorization?': JSON.stringify({ authorized: true }),
  '/verify': JSON.stringify({ verified: true }),
  '/graphql': JSON.stringify({ data: { authorization: { authorized: true } } }),
  '/trqp/': JSON.stringify({ authorized: true }),
  '/ecosystems/': PAGE,
  '/diff?from=5': JSON.stringify({ list: [{ change: 'unsuspended', did: 'did:svc:1' }] }),
  '/history?': JSON.stringify({ total: 1 }),
}
/** Right answers that are wrong when this is another text. */
const TELLING = /true|unsuspended|1(?=})|<bdi>University<\/bdi>/

const EACH = Object.keys(RIGHT).length

let server: Server | undefined
afterEach(() => {
  vi.restoreAllMocks()
  server?.close()
})

/** Watches a service that says what `tell` makes of the right answer, until every question was asked or one was wrong. */
async function watched(
  tell: (url: string, turn: number) => Told,
  watch?: ConstructorParameters<typeof Freshness>[1],
): Promise<string> {
  let turn = 0
  server = createServer((request: IncomingMessage, response) => {
    const [part = '', right] = Object.entries(RIGHT).find(([path]) => request.url?.includes(path)) ?? []
    turn += 1
    const { status = 200, body = right, block = turn, ageMs = 1_000, stale, ...told } = tell(part, turn)
    const time = told.time ?? new Date(Date.now() - ageMs).toISOString()
    const marked = stale !== undefined && { 'accredit-stale': stale }
    response.writeHead(status, { 'accredit-block': block, 'accredit-block-time': time, ...marked }).end(body)
  })
  const port = await freePort()
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const degree = { id: '', credentialSubject: {}, credentialStatus: { statusListCredential: '', statusListIndex: '' } }
  const freshness = new Freshness(
    questionsOn({
      product: { apiUrl: `http://127.0.0.1:${port}`, apiKey: 'key' },
      ecosystem: {
        registry: '0x01',
        schema: 'schema',
        issuer: 'did:svc:1',
        suspendedAt: 5,
        degree: { ...degree, proof: { created: '', verificationMethod: '' } },
      },
    }),
    { askEveryMs: 20, ...watch },
  )
  freshness.begin()
  const isSeen = () => expect(freshness.isWrong || turn > EACH).toBe(true)
  await vi.waitFor(isSeen, { timeout: 30_000 })
  return freshness.end()
}

test('a product that gives right answers of new blocks passes, by each of the ways', async () => {
  expect(await watched(() => ({}))).toMatch(
    /answers \(REST \d, verification \d, GraphQL \d, TRQP \d, page \d, difference \d, history \d\)/,
  )
})

test.each(Object.keys(RIGHT))('a stale answer of %s is told', async (path) => {
  const told = watched((part) => (part === path ? { ageMs: 61_000 } : {}))
  await expect(told).rejects.toThrow(/stands on a block that was 6\d{4} ms old/)
})

const marked = (path: string) => (part: string) =>
  part === path ? { ageMs: 61_000, stale: 'The index lags behind the ledger' } : {}

/** Answers for the first two rounds; what is right afterwards shows that the product is back. */
const atFirst = (tell: (part: string) => Told) => (part: string, turn: number) => (turn <= EACH ? tell(part) : {})

test('a list of events that says that it may be an old one is right while the ledger stands still', async () => {
  const told = atFirst((part) => (part === '/history?' ? marked(part)(part) : tooOld(part)))
  expect(await watched(told, { mayBeAwayMs: 60_000 })).toMatch(
    /6 refused and 1 marked as too old \(of blocks at most 61 s old\), each/,
  )
  await expect(watched(atFirst(marked('/history?')))).rejects.toThrow(/^The ledger went on, and of 1 questions/)
})

test.each([
  ['older than the fault explains', { ageMs: 91_000 }, /a marked answer stands on a block that was 9\d{4} ms old/],
  ['of no time', { time: '' }, /a marked answer stands on a block that was NaN ms old/],
])('a list of events that says that it may be an old one, and is %s, is told', async (_, old, words) => {
  const tell = (part: string): Told =>
    part === '/history?' ? { ...old, stale: 'The index lags behind the ledger' } : tooOld(part)
  await expect(watched(atFirst(tell), { mayBeAwayMs: 30_000 })).rejects.toThrow(words)
})

test('a list of events that is told as of now, while all else is refused as too old, is told', async () => {
  const told = watched((part) => (part === '/history?' ? {} : tooOld(part)), { mayBeAwayMs: 60_000 })
  await expect(told).rejects.toThrow('history was told as of now, and difference and REST right before and after were')
})

test('a list of events that says that it may be an old one, while all else is answered of that block, is told', async () => {
  const told = watched((part) => ({ block: 7, ...marked('/history?')(part) }), { mayBeAwayMs: 60_000 })
  await expect(told).rejects.toThrow('history said that it may be an old one, and difference and REST right before and')
})

test.each(['/authorization?', '/diff?from=5'])('an answer of %s that says so is told', async (path) => {
  await expect(watched(marked(path))).rejects.toThrow(/an answer that may be an old one was given/)
})

test('an answer of a block before that of another answer is told, whichever way both went', async () => {
  await expect(watched((_, turn) => ({ block: turn === 3 ? 1 : turn }))).rejects.toThrow(/block 1, before 2/)
})

test.each(Object.keys(RIGHT))('a wrong answer of %s is told', async (path) => {
  const body = RIGHT[path]?.replace(TELLING, '0')
  const told = watched((part) => (part === path && body !== undefined ? { body } : {}))
  await expect(told).rejects.toThrow(/who is trusted was told not to be/)
})

test('a page on which the issuer is suspended is told, whatever stands in the row of another one', async () => {
  const body = pageWith(SUSPENDED, 'In good standing')
  const told = watched((part) => (part === '/ecosystems/' ? { body } : {}))
  await expect(told).rejects.toThrow(/^page: who is trusted was told not to be/)
})

/** Answers of a product whose ledger is too old, in the form of each way to ask. */
const tooOld = (part: string): Told => {
  const refused = JSON.stringify({ status: 503, type: 'ledger_unavailable' })
  const inGraphql = JSON.stringify({ data: null, errors: [{ extensions: { type: 'ledger_unavailable' } }] })
  if (part === '/graphql') return { status: 200, body: inGraphql }
  return { status: 503, body: part === '/ecosystems/' ? '<h1>The ledger cannot be asked now</h1>' : refused }
}

test('refusals because the ledger is too old are counted where it stands still on purpose, until it goes on', async () => {
  const told = watched((part, turn) => (turn <= EACH ? tooOld(part) : {}), { mayBeAwayMs: 60_000 })
  expect(await told).toMatch(
    new RegExp(`^\\d+ answers .*, ${EACH} refused and 0 marked as too old, each answered again after \\d s at most$`),
  )
})

test.each(Object.keys(RIGHT))('a refusal of %s is told where the ledger went on', async (path) => {
  const told = watched((part, turn) => (part === path && turn <= EACH ? tooOld(part) : {}))
  await expect(told).rejects.toThrow('The ledger went on, and of 1 questions the answer was that it is too old.')
})

test('a ledger that is too old for ever is told', async () => {
  const told = watched(tooOld, { mayBeAwayMs: 60_000, rightWithinMs: 100 })
  await expect(told).rejects.toThrow('REST was not answered within 0.1 s after the fault.')
})

test('a way that answers nothing at all is told', async () => {
  const told = watched((part) => (part === '/trqp/' ? { status: 503, body: '{}' } : {}), { rightWithinMs: 100 })
  await expect(told).rejects.toThrow('TRQP was not answered within 0.1 s after the fault.')
})

test.each([
  ['tells nothing', () => ({ status: 503, body: '{}' }), undefined],
  ['tells nothing', () => ({ status: 503, body: '{}' }), 40],
  ['is refused', (part: string) => tooOld(part), 40],
])('a product where each question %s for longer than the fault explains is told', async (_, tell, mayBeAwayMs) => {
  await expect(watched(atFirst(tell), { silentMs: 40, mayBeAwayMs })).rejects.toThrow(
    /^\w+ had no answer about the present for [\d.]+ s, and 0\.04 s are explained\.$/,
  )
  expect(await watched(atFirst(tell), { silentMs: 40, mayBeAwayMs: 60_000 })).toMatch(/after \d s at most$/)
})

/** The faults that kill the product, start it again, or let the ledger stand still. */
const STOPPING: readonly string[] = [
  'node-stalled',
  'product-killed',
  'halves',
  'finality-stalled',
  'clock-off',
  'other-genesis',
  'pruned-node',
]

test.each(faults.map((fault) => [fault.name, fault] as const))(
  'half a minute of silence under %s is told, unless the fault explains it',
  async (name, fault) => {
    const { now } = Date
    let lateMs = 0
    vi.spyOn(Date, 'now').mockImplementation(() => now() + lateMs)
    const told = watched((_, turn) => {
      if (turn === EACH) lateMs = 35_000
      return turn <= EACH ? { status: 503, body: '{}' } : {}
    }, fault)
    if (STOPPING.includes(name)) expect(await told).toMatch(/each answered again after 3\d s at most$/)
    else await expect(told).rejects.toThrow(/^\w+ had no answer .* for 3[\d.]+ s, and 15 s are explained\.$/)
  },
)

test('one question that stays away longer than the fault explains is told, while all others are answered', async () => {
  const away = (part: string, turn: number): Told => (part === '/trqp/' && turn <= EACH ? tooOld(part) : {})
  await expect(watched(away, { mayBeAwayMs: 40 })).rejects.toThrow(/^TRQP had no answer about the present for/)
})

test('an answer of a block of the future is told', async () => {
  await expect(watched(() => ({ ageMs: -11_000 }))).rejects.toThrow(/stands on a block that was -1\d{4} ms old/)
})

test('a figure that misses what is wanted says so', () => {
  const figure = { what: 'a proof', value: 19.94, unit: 'ms', wanted: { below: 20 }, note: 'p50' }
  expect(figureText(figure)).toBe('a proof: 19.9 ms, p50 (wanted: below 20 ms)')
  expect(figureText({ ...figure, value: 20 })).toBe('a proof: 20.0 ms, p50 (wanted: below 20 ms, MISSED)')
  expect(figureText({ ...figure, value: undefined })).toBe('a proof: cannot be told on this machine now, p50')
  const { note: _, ...rate } = { ...figure, what: 'blocks', value: 801, unit: 'blocks/s', wanted: { above: 800 } }
  expect(figureText(rate)).toBe('blocks: 801 blocks/s (wanted: above 800 blocks/s)')
  expect(figureText({ ...rate, value: 700 })).toBe('blocks: 700 blocks/s (wanted: above 800 blocks/s, MISSED)')
})
