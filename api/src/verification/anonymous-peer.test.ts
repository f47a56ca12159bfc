import * as peer from '@docknetwork/credential-sdk/vc'
import { expect, it } from 'vitest'
import { degree, TestService } from '../credentials/loop.testing.js'
import type { Json, JsonObject } from '../formats/json.js'
import { forAllTests } from '../platform/testing/for-all-tests.js'

/** Software of others (`@docknetwork/credential-sdk`, with an earlier version of the library) reads ours, and we theirs. */
const world = forAllTests(async () => {
  const service = await TestService.open()
  const issuer = await service.did()
  const { body } = await service.call('POST', '/schemas', {
    $schema: 'http://json-schema.org/draft-07/schema#',
    name: 'Degree',
    type: 'object',
    properties: {
      id: { type: 'string' },
      degree: { type: 'string' },
      grade: { type: 'number' },
      year: { type: 'integer' },
    },
  })
  return { service, issuer, schema: String(body.data.uri), close: () => service.close() }
})

const subject = { id: 'did:example:graduate', ...degree, grade: 1.25, year: 2024, born: '2001-02-03', tags: ['a', 'b'] }

async function issued(algorithm: string, more: JsonObject = {}): Promise<JsonObject> {
  const { service, issuer, schema } = world()
  const { status, body } = await service.issue({ issuer, subject, schema, ...more }, { algorithm })
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}

/** The peer has the contexts of suites built in, and gets ours and DID documents from here. */
const builtIn = peer.documentLoader(null)
async function documentLoader(url: string) {
  const path = url.startsWith('did:')
    ? `/dids/${url.split('#')[0]}`
    : url.includes('/contexts/')
      ? new URL(url).pathname
      : undefined
  if (path === undefined) return builtIn(url)
  const { body } = await world().service.call('GET', path)
  return { contextUrl: null, documentUrl: url, document: body.didDocument ?? body }
}

const peerVerifies = async (credential: object): Promise<boolean> =>
  (await peer.verifyCredential(credential, { documentLoader, skipSchemaCheck: true })).verified

const weVerify = async (data: Json): Promise<boolean> =>
  (await world().service.call('POST', '/verify', { data })).body.verified

async function peerPresentation(credential: JsonObject, names: string[]) {
  const presentation = new peer.Presentation()
  const place = await presentation.addCredentialToPresent(credential, { documentLoader })
  presentation.addAttributeToReveal(place, names)
  return presentation
}

const asJson = (value: object): JsonObject => JSON.parse(JSON.stringify(value))

it.each<[string, JsonObject, string?]>([
  ['with a schema', {}],
  ['with BBS+', {}, 'svcbbs+'],
  ['without one, with an issuer who has a name', { schema: null, issuer: 'named', name: 'A degree' }],
])(
  'a BBS credential %s verifies in software of others, and not with a claim changed',
  async (_, { issuer, ...more }, algorithm = 'svcbbs') => {
    const vc = await issued(algorithm, {
      ...more,
      ...(issuer !== undefined && { issuer: { id: world().issuer, name: 'Uni' } }),
    })
    expect(await peerVerifies(vc)).toBe(true)
    expect(await peerVerifies({ ...vc, credentialSubject: { ...subject, degree: 'Ph.D.' } })).toBe(false)
  },
)

it.each(['svcbbs', 'svcbbs+', 'bbdt16'])(
  'what wallets of others derive of a credential with %s verifies here',
  async (algorithm) => {
    const vc = await issued(algorithm)
    const presentation = await peerPresentation(vc, ['credentialSubject.grade', 'credentialSubject.tags.0'])
    const [derived = {}] = presentation.deriveCredentials({ nonce: 'n-1' })
    if (algorithm !== 'bbdt16') expect(await peerVerifies(derived)).toBe(true)
    const credential = asJson(derived)
    expect(credential.credentialSubject).toEqual({ grade: 1.25, tags: ['a'] })
    expect(await weVerify(credential)).toBe(true)
    expect(await weVerify({ ...credential, credentialSubject: { grade: 1.26, tags: ['a'] } })).toBe(false)
    const whole = await peerPresentation(vc, ['credentialSubject.year'])
    expect(await weVerify(asJson(whole.createPresentation({ nonce: 'n-1' })))).toBe(true)
  },
)
