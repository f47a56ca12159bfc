import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Credential } from '../../formats/credential-format.js'
import { asArray, type JsonObject } from '../../formats/json.js'
import { STATUS_LIST_2021 } from '../../formats/json-ld/contexts/known-contexts.js'
import { requestAs } from '../../platform/testing/request-as.js'
import { answerOf } from '../../platform/testing/scratch-database.js'
import { TestVerifier } from '../testing.js'
import { SHAPES } from './cells.testing.js'
import { Forge, type Wish } from './forge.testing.js'
import { LINES, type Line, MODELS, nameOf } from './lines.testing.js'
import { mutationOf } from './mutations.testing.js'
import { meansTheSame } from './same-meaning.testing.js'

const RUNS = Number(process.env.SOAK_MUTATIONS ?? 200)

interface Good {
  line: Line
  credential: Credential
}

let verifier: TestVerifier
let good: Good[]
beforeAll(async () => {
  verifier = await TestVerifier.open()
  const list = `${verifier.apiUrl}/status-lists/${(await verifier.registry(0xa1)).slice(2)}`
  const withStatus: Wish = { statuses: [verifier.statusEntry(list, 7)], statusContexts: [STATUS_LIST_2021] }
  good = await Promise.all(
    LINES.flatMap((line) =>
      line.models.flatMap((model) => wishes(line, withStatus).map((wish) => goodOf(line, MODELS[model], wish))),
    ),
  )
})
afterAll(() => verifier.close())

/** The contents of the cells. */
const wishes = ({ statuses }: Line, withStatus: Wish): Wish[] => [
  ...Object.values(SHAPES).map(({ subject }): Wish => ({ subject: { id: 'did:example:a', ...subject } })),
  { others: { name: 'Degree', evidence: [{ id: 'urn:e:1', type: 'Exam', kind: 'a' }] } },
  ...(statuses.includes('StatusList2021Entry') ? [withStatus] : []),
]

async function goodOf(line: Line, model: JsonObject, wish: Wish): Promise<Good> {
  const contexts = asArray(model['@context'])
  return { line, credential: await new Forge(verifier, line).good({ contexts, ...wish }) }
}

async function verify(document: string) {
  const begun = performance.now()
  const answer = answerOf(await requestAs(verifier.app, verifier.team, 'POST', '/verify', `{"data":${document}}`))
  return { ...answer, ms: performance.now() - begun }
}

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
