import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { afterAll, expect, test, vi } from 'vitest'
import { FormatError } from '../../format-error.js'
import type { JsonObject } from '../../json.js'
import { CREDENTIALS_V1, ED25519_2020, LARGE_KNOWN_CONTEXTS } from '../contexts/known-contexts.js'
import { unsignedCredential } from '../testing.js'
import { openCanonicalHashes } from './canonical-hashes.js'
import { hashHere } from './canonize.js'

const told = (error: unknown) => (error instanceof FormatError ? [error.code, error.message] : [])

const hashes = openCanonicalHashes(60_000)
afterAll(() => hashes.close())

const TERMS = 'https://terms.example/v1'
const terms: JsonObject = { '@context': { '@vocab': 'https://terms.example/#' } }
const contexts = new Map([[TERMS, { document: terms, isKept: true }]])

const credential = (more: JsonObject = {}): JsonObject => ({
  '@context': [CREDENTIALS_V1, TERMS],
  ...unsignedCredential('did:example:university', more),
})
/** Larger than what is done at once. */
const large = (n: number) =>
  credential({
    credentialSubject: Object.fromEntries(Array.from({ length: 90 }, (_, i) => [`claim${i}`, `${n}`.repeat(300)])),
  })

test('a thread comes to the same hash, of small documents and large ones', async () => {
  for (const document of [credential(), large(1)])
    expect(Buffer.from(await hashes.of('a', contexts)(document))).toEqual(await hashHere(contexts)(document))
})

test('a thread starts when a document needs it, and stays for the next', async () => {
  let started = 0
  const count = () => {
    started++
  }
  subscribe('worker_threads', count)
  const others = openCanonicalHashes(60_000)
  try {
    await others.of('a', contexts)(credential())
    expect(started).toBe(0)
    for (const n of [1, 2, 3]) await others.of('a', contexts)(large(n))
    expect(started).toBe(1)
  } finally {
    unsubscribe('worker_threads', count)
    await others.close()
  }
})

test("a short document that names large contexts is a thread's, too", async () => {
  let sent = 0
  const toJSON = () => {
    sent++
    return terms
  }
  const named = (isKept: boolean) => {
    const document: JsonObject = Object.defineProperty({ ...terms }, 'toJSON', { value: toJSON })
    return new Map([[TERMS, { document, isKept }]])
  }
  const expected = await hashes.of('a', named(true))(credential())
  expect(sent).toBe(0)
  const large = named(false)
  for (let n = 0; n < 3; n++) expect(Buffer.from(await hashes.of('a', large)(credential()))).toEqual(expected)
  // Its text is made once.
  expect(sent).toBe(1)
})

test('so is one that names a large context which comes with the service', async () => {
  const [small, large] = [ED25519_2020, ...LARGE_KNOWN_CONTEXTS].map((url) => ({
    ...credential(),
    '@context': [CREDENTIALS_V1, url, TERMS],
  }))
  if (!small || !large) throw new Error('there is a large one')
  const done: string[] = []
  const hash = async (name: string, document: JsonObject) => {
    await hashes.of(name, contexts)(document)
    done.push(name)
  }
  // Work that is done at once ends before a thread has answered.
  await Promise.all([hash('large', large), hash('small', small)])
  expect(done).toEqual(['small', 'large'])
})

test('a fault of a document is told as it is without a thread', async () => {
  const wrong: JsonObject[] = [
    { holder: '' },
    { '@context': [CREDENTIALS_V1] },
    { '@context': [CREDENTIALS_V1, 'https://elsewhere.example/v1'] },
  ]
  for (const document of [credential(), large(1)].flatMap((good) => wrong.map((more) => ({ ...good, ...more })))) {
    const here = await hashHere(contexts)(document).catch((error: unknown) => error)
    const there = await hashes
      .of(
        'a',
        contexts,
      )(document)
      .catch((error: unknown) => error)
    expect(here).toBeInstanceOf(FormatError)
    expect(there).toBeInstanceOf(FormatError)
    expect(told(there)).toEqual(told(here))
  }
})

test('one with a few documents waits for one of those who have many, not for all of theirs', async () => {
  const done: string[] = []
  const hash = (caller: string, document: JsonObject) =>
    hashes
      .of(
        caller,
        contexts,
      )(document)
      .then(() => done.push(caller))
  // A thread is slow with its first document.
  await Promise.all([hash('many', large(0)), hash('few', large(0))])
  done.length = 0
  // The system may let one thread wait while another goes on for a while.
  await Promise.all([...Array.from({ length: 60 }, (_, n) => hash('many', large(n))), hash('few', large(100))])
  expect(done.indexOf('few')).toBeLessThan(30)
})

test('one that takes a thread for long leaves another thread to others', async () => {
  const manyTerms = Object.fromEntries(Array.from({ length: 150_000 }, (_, n) => [`term${n}`, `${TERMS}#${n}`]))
  const dear = new Map([[TERMS, { document: { '@context': { ...terms, ...manyTerms } }, isKept: false }]])
  const done: string[] = []
  const hash = (caller: string, given: typeof contexts, n: number) =>
    hashes
      .of(
        caller,
        given,
      )(large(n))
      .then(() => done.push(caller))
  // A thread is slow with its first document.
  await Promise.all([hash('dear', contexts, 1), hash('other', contexts, 2)])
  done.length = 0
  const all = [hash('dear', dear, 1), hash('dear', dear, 2)]
  await Promise.all([...all, hash('other', contexts, 3)])
  expect(done).toEqual(['other', 'dear', 'dear'])
})

test('a small document waits for no large one', async () => {
  const done: string[] = []
  const hash = (name: string, document: JsonObject) =>
    hashes
      .of(
        name,
        contexts,
      )(document)
      .then(() => done.push(name))
  await Promise.all([...Array.from({ length: 5 }, (_, n) => hash('large', large(n))), hash('small', credential())])
  expect(done[0]).toBe('small')
})

test('small documents of one request are done as many at once as it may have', async () => {
  const done: string[] = []
  const allowance = { left: 2 }
  const small = (name: string) =>
    hashes
      .of(
        'a',
        contexts,
        allowance,
      )(credential({ id: `urn:x:${name}` }))
      .then(() => done.push(name))
  await Promise.all([
    small('first'),
    small('second'),
    small('third'),
    hashes
      .of(
        'b',
        contexts,
      )(credential())
      .then(() => done.push('another')),
  ])
  expect(done.indexOf('third')).toBe(3)
})

test('more than a caller may have waiting is refused', async () => {
  const all = Array.from({ length: 200 }, () => hashes.of('many', contexts)(large(1)))
  const outcomes = await Promise.allSettled(all)
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
  expect(refused.length).toBeGreaterThan(0)
  for (const { reason } of refused) expect(reason).toMatchObject({ status: 429, headers: { 'Retry-After': '1' } })
})

test('a document that holds a thread for two seconds is unavailable, and the next one has its turn', async () => {
  const usual = openCanonicalHashes()
  const hash = usual.of('a', contexts)
  const endless = credential({ evidence: Array.from({ length: 40_000 }, () => ({ type: 'Evidence' })) })
  const begun = performance.now()
  const [late, next] = await Promise.allSettled([hash(endless), hash(large(1))])
  expect(late).toMatchObject({ reason: { code: 'unavailable' } })
  expect(next).toMatchObject({ status: 'fulfilled' })
  expect(performance.now() - begun).toBeGreaterThan(1_900)
  await usual.close()
  // Two seconds of a processor take a busy machine long.
}, 600_000)

test('a thread that has no turn at the processor does not hang, however long it takes by the clock', async () => {
  const usual = openCanonicalHashes()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    let isDone = false
    const hashed = usual
      .of(
        'a',
        contexts,
      )(large(1))
      .finally(() => {
        isDone = true
      })
    hashed.catch(() => undefined)
    while (!isDone) {
      await new Promise(setImmediate)
      vi.advanceTimersByTime(10_000)
    }
    expect(await hashed).toEqual(await hashes.of('a', contexts)(large(1)))
  } finally {
    vi.useRealTimers()
    await usual.close()
  }
})
