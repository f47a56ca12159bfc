import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { TestService } from '../../credentials/loop.testing.js'
import type { Credential } from '../../formats/credential-format.js'
import type { JsonObject } from '../../formats/json.js'
import { answerOf } from '../../platform/testing/answered.js'
import { requestAs } from '../../platform/testing/request-as.js'
import { mapConcurrent } from '../map-concurrent.js'
import { isPossible, SHAPES } from './cells.testing.js'
import { LINES, type Line, MODELS, modelsOf, nameOf } from './lines.testing.js'
import { mutationOf } from './mutations.testing.js'
import { meansTheSame } from './same-meaning.testing.js'

const RUNS = Number(process.env.SOAK_MUTATIONS ?? 200)

interface Good {
  line: Line
  credential: Credential
}

let service: TestService
let good: Good[]
beforeAll(async () => {
  service = await TestService.open()
  const issuer = await service.did()
  const cells = LINES.flatMap((line) =>
    modelsOf(line).flatMap((model) => CONTENTS.map((content) => ({ line, model, content }))),
  )
  good = await mapConcurrent(cells, 4, async ({ line, model, content: { isRevocable, more } }) => {
    const credential = { ...MODELS[model], issuer, type: 'Degree', subject: SUBJECT, ...more }
    const revocable = isRevocable && isPossible({ line, model, status: 'automatic', schema: undefined })
    const { format, algorithm } = line
    const { status, body } = await service.issue(credential, { format, algorithm, revocable })
    if (status !== 200) throw new Error(`${nameOf(line)}: ${JSON.stringify(body)}`)
    return { line, credential: body }
  })
})
afterAll(() => service.close())

const SUBJECT = { id: 'did:example:a', degree: 'M.Sc.' }

interface Content {
  isRevocable: boolean
  more: JsonObject
}

/** The contents of the cells. */
const CONTENTS: readonly Content[] = [
  ...Object.values(SHAPES).map(({ subject }) => ({ isRevocable: false, more: { subject } })),
  { isRevocable: true, more: { name: 'Degree', evidence: [{ id: 'urn:e:1', type: 'Exam', kind: 'a' }] } },
]

const verify = async (document: string) =>
  answerOf(await requestAs(service.app, service.team, 'POST', '/verify', `{"data":${document}}`))

it('good credentials of every cell verify', async () => {
  for (const { line, credential } of good) {
    const { body } = await verify(JSON.stringify(credential))
    expect(body.verified, `${nameOf(line)}: ${JSON.stringify(body)} ${JSON.stringify(credential)}`).toBe(true)
  }
})

it('a mutation of a good credential says the same with the same signature, or is not verified', async () => {
  let same = 0
  await fc.assert(
    fc.asyncProperty(
      fc
        .constantFrom(...good)
        .chain(({ line, credential }) => fc.tuple(fc.constant({ line, credential }), mutationOf(line, credential))),
      async ([{ line, credential }, { what, text }]) => {
        const { status, body } = await verify(text)
        const told = `${nameOf(line)}, ${what}: ${status} ${JSON.stringify(body)}\n${text}`
        if (status !== 200 && status !== 400 && status !== 413) throw new Error(told)
        if (status !== 200 || body.verified === false) return
        if (!(await meansTheSame(line, credential, JSON.parse(text)))) throw new Error(`verified with ${told}`)
        same += 1
      },
    ),
    { numRuns: RUNS, endOnFailure: true },
  )
  expect(same).toBeGreaterThan(0)
})
