import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inTurn } from '../../../../test/support/in-turn.js'
import type { Credential } from '../../formats/credential-format.js'
import { type Answered, answerOf } from '../../platform/testing/answered.js'
import { requestAs } from '../../platform/testing/request-as.js'
import { type RemoteHost, remoteHost } from '../../schemas/remote/remote-host.testing.js'
import { checkOf, TestVerifier } from '../testing.js'
import { Forge, isForgeable } from './forge.testing.js'
import type { Expected, Never, Sent } from './hostile-case.testing.js'
import { LINES, type Line, nameOf } from './lines.testing.js'
import { NEVER_VERIFIED } from './never-verified.testing.js'

/** The longest answer, in milliseconds; on a machine with much else to do, as many times what an innocent one takes. */
const LONGEST_MS = 2_000
const LONGEST_TIMES = 40

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
 * Returns the lines that a case is tried with. A body that is refused whole has one of them in its turn, since nothing
 * has read yet which algorithm it is, and those with a result of their own.
 */
function linesOf(one: Never): Line[] {
  const lines = FORGEABLE.filter((line) => concerns(one, line))
  if (!('status' in one.expected)) return lines
  const hasOwnResult = ({ algorithm }: Line) => Object.hasOwn(one.unless ?? {}, algorithm)
  const others = lines.filter((line) => !hasOwnResult(line))
  return [...lines.filter(hasOwnResult), ...inTurn(others, NEVER_VERIFIED.indexOf(one))]
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

  const cases = NEVER_VERIFIED.filter((one) => linesOf(one).includes(line))
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
