import { type DidState, didDocument, didSvc, hex32Of, hexOf, isUri } from '@accredit/chain'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { asArray, isObject } from '../../formats/json.js'
import { builtIn, expanded } from './linked-data.testing.js'

// The owner of a DID chooses the types of its services freely; its document stays readable with any of them.
const DID = 'https://www.w3.org/ns/did#'
const did = didSvc(hex32Of(new Uint8Array(32).fill(9)))

function documentWith(types: readonly string[]) {
  const keys: DidState['keys'] = (['Ed25519', 'X25519'] as const).map((kind, at) => ({
    id: at + 1,
    key: { kind, publicKey: hexOf(new Uint8Array(32).fill(7)) },
    relationships: at === 0 ? 7 : 8,
  }))
  const services = types.map((type, at) => ({ id: `s${at}`, type, endpoints: ['https://example.org/'] }))
  return didDocument({ did, keys, controllers: [], services })
}

/** The statements of a document, with the types of its services apart. */
async function statements(types: readonly string[]) {
  // As a reader gets it: out of text.
  const [node] = asArray(await expanded(JSON.parse(JSON.stringify(documentWith(types)))))
  const { [`${DID}service`]: services, ...rest } = isObject(node) ? node : {}
  return { rest, types: asArray(services).flatMap((service) => (isObject(service) ? service['@type'] : [])) }
}

/** Every name inside some contexts, however deep. */
const namesIn = (value: unknown): string[] =>
  typeof value === 'object' && value !== null
    ? [...(Array.isArray(value) ? [] : Object.keys(value)), ...Object.values(value).flatMap(namesIn)]
    : []

const contexts = documentWith(['DIDCommMessaging'])['@context'].map((context) =>
  typeof context === 'string' ? builtIn(context).then(({ document }) => document) : context,
)
const words = [
  ...new Set([
    ...namesIn(await Promise.all(contexts)).filter((name) => /^[\w.-]+$/.test(name)),
    ...Object.getOwnPropertyNames(Object.prototype),
    ...[
      'LinkedDomains',
      'Ed25519VerificationKey2018',
      'EcdsaSecp256k1VerificationKey2019',
      'proof',
      '7',
      '.',
      '..',
      '-',
    ],
  ]),
]
const NAMED_ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ['DIDCommMessaging', 'https://didcomm.org/messaging#DIDCommMessaging'],
  ['LinkedDomains', 'https://identity.foundation/.well-known/resources/did-configuration/#LinkedDomains'],
])

const uris = fc
  .tuple(fc.constantFrom(...words, 'https', 'did'), fc.stringMatching(/^[\w.~/?#%-]{0,4}$/))
  .map(([word, rest]) => `${word}:x${rest}`)
  .filter(isUri)
const typesOfServices = fc.oneof(fc.constantFrom(...words), fc.stringMatching(/^[\w.-]{1,12}$/), uris)

test('a service of any type leaves the rest of its document as it is read, and is of the type that was given', async () => {
  const { rest: plain } = await statements(['Hub'])
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(typesOfServices, { minLength: 1, maxLength: 3 }), async (types) => {
      const { rest, types: read } = await statements(types)
      expect(rest).toEqual(plain)
      const meant = types.map((type) => NAMED_ELSEWHERE.get(type) ?? (type.includes(':') ? type : DID + type))
      expect(read).toEqual(meant)
    }),
  )
})

test.each(words)('so does one of type %s', async (type) => {
  const [{ rest: plain }, { rest, types }] = await Promise.all([statements(['Hub']), statements([type])])
  expect(rest).toEqual(plain)
  expect(types).toEqual([NAMED_ELSEWHERE.get(type) ?? DID + type])
})
