import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Credential } from '../../formats/credential-format.js'
import { type Answered, answerOf } from '../../platform/testing/answered.js'
import { requestAs } from '../../platform/testing/request-as.js'
import { type RemoteHost, remoteHost } from '../../schemas/remote/remote-host.testing.js'
import { checkOf, TestVerifier } from '../testing.js'
import { Forge, isForgeable } from './forge.testing.js'
import type { Expected, Never, Sent } from './hostile-case.testing.js'
import { isCostly, LINES, type Line, nameOf } from './lines.testing.js'
import { NEVER_VERIFIED } from './never-verified.testing.js'

/** The longest answer, in milliseconds; on a machine with much else to do, as many times what an innocent one takes. */
const LONGEST_MS = 2_000
const LONGEST_TIMES = 40

/**
 * `npm run soak -- never` tries every case with every line; the tests each case with every line whose signatures are
 * cheap, and the lines whose signatures are costly take turns, as all do with bodies that are refused whole.
 */
const IS_WHOLE = process.env.SOAK_NEVER_VERIFIED === 'whole'

let verifier: TestVerifier
let host: RemoteHost
let innocent: Credential
beforeAll(async () => {
  ;[verifier, host] = await Promise.all([TestVerifier.open(), remoteHost()])
  const forge = new Forge(verifier, firstLine())
  innocent = await forge.good()
  // The threads for schemas and for contexts of elsewhere start with their first use.
  const url = host.put('/first', { '@context': { title: 'https://v.example/title' } })
  await verifier.verify({ ...Object(innocent), '@context': [...Object(innocent)['@context'], url] })
})
afterAll(() => Promise.all([verifier.close(), host.close()]))

function firstLine(): Line {
  const [line] = LINES
  if (line === undefined) throw new Error('there is a line')
  return line
}

const forgeOf = (line: Line) => new Forge(verifier, line)

async function post(text: string): Promise<Answered> {
  return answerOf(await requestAs(verifier.app, verifier.team, 'POST', '/verify', text))
}

async function timed<T>(work: Promise<T>): Promise<{ answer: T; ms: number }> {
  const begun = performance.now()
  const answer = await work
  return { answer, ms: performance.now() - begun }
}

const askInnocent = () => timed(verifier.verify({ data: innocent }))

/** Tells whether a case is about what this line makes. */
const concerns = ({ of, notWrittenBy }: Never, { algorithm, signed }: Line): boolean =>
  !notWrittenBy?.includes(algorithm) && (of === 'all' || (of === 'tokens') === (signed === 'token'))

const FORGEABLE = LINES.filter(isForgeable)

/**
 * Tells whether it is this line's turn; a line with a result of its own always has it. One refusal of a whole body
 * stands for all, since nothing has read yet which algorithm it is.
 */
function hasTurn(one: Never, line: Line): boolean {
  if (IS_WHOLE || Object.hasOwn(one.unless ?? {}, line.algorithm)) return true
  const takeTurns = (other: Line) => 'status' in one.expected || isCostly(other)
  const turns = FORGEABLE.filter((other) => concerns(one, other) && takeTurns(other))
  return !takeTurns(line) || turns[NEVER_VERIFIED.indexOf(one) % turns.length] === line
}

const bodyOf = (sent: Sent): string => ('text' in sent ? sent.text : JSON.stringify(sent))

function expectRefused({ status, body }: Answered, expected: Expected): void {
  if ('status' in expected) {
    const { path, ...refusal } = expected
    expect({ status, type: body.type }, JSON.stringify(body)).toEqual(refusal)
    expect(body.message).toEqual(expect.any(String))
    if (path !== undefined) expect(body.message).toContain(`${path}`)
    return
  }
  const [check, reason] = expected
  expect({ status, verified: body.verified }, JSON.stringify(body)).toEqual({ status: 200, verified: false })
  expect(checkOf({ status, body, ignored: undefined }, check), JSON.stringify(body.checks)).toMatchObject({
    passed: false,
    reason,
  })
  expect(body.error).toEqual(expect.any(String))
}

describe.each(FORGEABLE.map((line) => [nameOf(line), line] as const))('%s', (_, line) => {
  it('a good credential of it verifies', async () => {
    const { body } = await verifier.verify({ data: await forgeOf(line).good() })
    expect(body.verified, JSON.stringify(body)).toBe(true)
  })

  const cases = NEVER_VERIFIED.filter((one) => concerns(one, line) && hasTurn(one, line))
  it.each(cases.map((one) => [one.name, one] as const))('never verifies: %s', async (_, one) => {
    const longest = async (): Promise<number> => {
      const text = bodyOf(await one.send({ forge: forgeOf(line), host }))
      const [hostile, beside] = await Promise.all([timed(post(text)), askInnocent()])
      expectRefused(hostile.answer, one.unless?.[line.algorithm] ?? one.expected)
      expect(beside.answer.body.verified).toBe(true)
      return Math.max(hostile.ms, beside.ms)
    }
    // Other work of the machine does not take the time of each.
    if ((await longest()) > LONGEST_MS && (await longest()) > LONGEST_MS)
      expect(await longest()).toBeLessThan(LONGEST_TIMES * (await askInnocent()).ms)
  })
})
