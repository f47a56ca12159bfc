import { createRequire } from 'node:module'
import fc from 'fast-check'
import jsonld from 'jsonld'
import { expect, it } from 'vitest'
import type { Json, JsonObject } from '../../json.js'
import { canonize } from '../canonical/canonize.js'
import { contextFor } from './credential-context.js'
import { documentLoader, type ExtraContexts, NO_EXTRA_CONTEXTS } from './document-loader.js'
import { decideSharedTerms } from './shared-terms.js'
import { TypeScopes } from './type-scopes.js'

type Jsonld = typeof import('jsonld').default

/** A second copy of the library, as it comes. */
function pristineJsonld(): Jsonld {
  const require = createRequire(import.meta.url)
  for (const path of Object.keys(require.cache))
    if (/node_modules[/\\]jsonld[/\\]/.test(path)) delete require.cache[path]
  return require('jsonld')
}

const outcome = (run: Promise<string>) => run.catch(() => 'refused')

const NAMES = [
  'name',
  'degree',
  'issuer',
  'proof',
  'holder',
  'credentialStatus',
  'created',
  'statusPurpose',
  'évidence',
  'a b',
]
const TYPES = [
  'VerifiableCredential',
  'StatusList2021Entry',
  'StatusList2021',
  'Ed25519Signature2018',
  'Degree',
  'Person',
]

const claims: fc.Arbitrary<Json> = fc.letrec<{ node: Json; value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constant(0),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.string(),
    fc.boolean(),
    tie('node'),
    fc.array(tie('node'), { maxLength: 2 }),
  ),
  node: fc
    .record({
      type: fc.array(fc.constantFrom(...TYPES), { maxLength: 2 }),
      members: fc.dictionary(fc.constantFrom(...NAMES), tie('value'), { maxKeys: 4 }),
    })
    .map(({ type, members }): Json => (type.length > 0 ? { type, ...members } : members)),
})).node

it('canonical forms are those of the library as it comes, and nothing that it refuses is accepted', async () => {
  const pristine = pristineJsonld()
  expect(pristine).not.toBe(jsonld)
  const asItComes = (document: JsonObject) =>
    pristine.canonize(document, {
      algorithm: 'RDFC-1.0',
      base: null,
      format: 'application/n-quads',
      documentLoader: documentLoader(NO_EXTRA_CONTEXTS),
      safe: true,
    })
  let accepted = 0
  await fc.assert(
    fc.asyncProperty(claims, claims, fc.boolean(), async (credentialSubject, evidence, shuffled) => {
      const credential: JsonObject = {
        id: 'urn:uuid:3a4b5c6d-0000-4000-8000-000000000000',
        type: ['VerifiableCredential', 'Degree'],
        issuer: { id: 'did:example:1', name: 'A' },
        issuanceDate: '2026-01-01T00:00:00Z',
        credentialSubject,
        evidence,
      }
      const { context } = contextFor({
        credential,
        given: [],
        added: ['https://w3id.org/security/suites/ed25519-2020/v1'],
        extra: NO_EXTRA_CONTEXTS,
      })
      const document = {
        '@context': shuffled ? [...context.slice(0, 1), ...context.slice(1).reverse()] : context,
        ...credential,
      }
      const [ours, theirs] = await Promise.all([
        outcome(canonize(document, NO_EXTRA_CONTEXTS)),
        outcome(asItComes(document)),
      ])
      // We refuse more: what could be written in two ways.
      if (ours === 'refused') return
      accepted++
      expect(ours).toBe(theirs)
    }),
    { numRuns: 400 },
  )
  expect(accepted).toBeGreaterThan(50)
})

const TERMS = 'https://terms.example/'

/** Contexts of types and of properties with the same text. Only that of a property may redefine `label`. */
const SCOPES: JsonObject = {
  '@version': 1.1,
  label: { '@id': `${TERMS}label`, '@protected': true },
  name: `${TERMS}name`,
  degree: `${TERMS}degree`,
  part: { '@id': `${TERMS}part`, '@context': { name: `${TERMS}other#name` } },
  Named: { '@id': `${TERMS}Named`, '@context': { name: `${TERMS}other#name` } },
  Reaching: { '@id': `${TERMS}Reaching`, '@context': { name: `${TERMS}other#name`, '@propagate': true } },
  relabelled: { '@id': `${TERMS}relabelled`, '@context': { label: `${TERMS}other#label` } },
  Relabelled: { '@id': `${TERMS}Relabelled`, '@context': { label: `${TERMS}other#label` } },
  Ending: { '@id': `${TERMS}Ending`, '@context': { label: `${TERMS}other#label`, '@propagate': false } },
}
const CONTEXTS: ExtraContexts = new Map([
  [`${TERMS}v1`, { document: { '@context': SCOPES }, isKept: true }],
  [`${TERMS}v2`, { document: { '@context': { degree: `${TERMS}other#degree` } }, isKept: true }],
])

function* typedThings(): Generator<JsonObject> {
  const said = { name: 'a', degree: 'b', label: 'c' }
  for (const type of ['Named', 'Reaching', 'Relabelled', 'Ending', ['Named', 'Reaching'], ['Named', 'Relabelled']])
    for (const context of [[`${TERMS}v1`], [`${TERMS}v1`, `${TERMS}v2`]])
      for (const property of ['part', 'relabelled', 'Relabelled', 'Ending'])
        for (const inner of [said, { '@type': type, ...said }])
          yield { '@context': context, '@type': type, ...said, [property]: inner }
}

it('a type has its own terms in each context, as in the library as it comes, however often it was read', async () => {
  decideSharedTerms(true)
  const pristine = pristineJsonld()
  const options = { base: null, documentLoader: documentLoader(CONTEXTS), safe: true } as const
  const things = [...typedThings()]
  const seen = new Set<string>()
  for (const thing of [...things, ...things.reverse()]) {
    const ours = jsonld.expand(thing, { ...options, contextResolver: new TypeScopes() })
    const theirs = await outcome(pristine.expand(thing, options).then((it) => JSON.stringify(it)))
    expect(await outcome(ours.then((it) => JSON.stringify(it)))).toBe(theirs)
    seen.add(theirs)
  }
  expect(seen).toContain('refused')
  expect(seen.size).toBeGreaterThan(10)
})
