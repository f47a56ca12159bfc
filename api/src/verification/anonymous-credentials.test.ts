import { bytesOf, encodeBase58, hexIn } from '@accredit/chain'
import crypto from '@docknetwork/crypto-wasm-ts'
import { describe, expect, it } from 'vitest'
import { degree, TestService } from '../credentials/loop.testing.js'
import { sweepMacKeys } from '../dids/did.jobs.js'
import { FORMATS, formatsOf } from '../formats/formats.js'
import { asArray, isObject, type Json, type JsonObject } from '../formats/json.js'
import { hashHere } from '../formats/json-ld/canonical/canonize.js'
import type { ExtraContexts } from '../formats/json-ld/contexts/document-loader.js'
import { CREDENTIALS_V1, ED25519_2020 } from '../formats/json-ld/contexts/known-contexts.js'
import { addProof } from '../formats/json-ld/linked-data-proof.js'
import { ed25519Of2020 } from '../formats/json-ld/suites/ed25519-2020.js'
import { testKey } from '../formats/json-ld/testing.js'
import {
  asCredential,
  presentationOf,
  type Question,
  type Showing,
  signedBy,
} from '../formats/testing/anonymous-wallet.js'
import { forAllTests } from '../platform/testing/for-all-tests.js'

const world = forAllTests(async () => {
  const service = await TestService.open()
  const issuer = await service.did()
  const { body: schema } = await service.call('POST', '/schemas', {
    $schema: 'http://json-schema.org/draft-07/schema#',
    name: 'Degree',
    type: 'object',
    required: ['degree', 'grade'],
    properties: {
      id: { type: 'string' },
      degree: { type: 'string' },
      grade: { type: 'number', minimum: 0, multipleOf: 0.01 },
      year: { type: 'integer', minimum: 1000 },
      isHonours: { type: 'boolean' },
      born: { type: 'string' },
      courses: { type: 'array', items: { type: 'string' } },
    },
  })
  await service.issue({ issuer, subject: { a: 'x' } }, { algorithm: 'svcbbs+' })
  const publicKey = await bbsKeyOf(service, issuer)
  const plusKey = await bbsKeyOf(service, issuer, 'Bls12381G2Plus2022')
  return { service, issuer, publicKey, plusKey, schema: String(schema.data.uri), close: () => service.close() }
})

async function bbsKeyOf(
  service: TestService,
  did: string,
  kind: 'Bls12381G2' | 'Bls12381G2Plus2022' = 'Bls12381G2',
): Promise<Uint8Array> {
  const rows = await service.scratch.db.read('system', (reader) =>
    reader.selectFrom('did_keys').select('public_key').where('did', '=', did).where('kind', '=', kind).execute(),
  )
  return bytesOf(hexIn(rows[0]?.public_key ?? '0x'))
}

const subject = {
  id: 'did:example:graduate',
  ...degree,
  grade: 1.25,
  year: 2024,
  isHonours: true,
  born: '2001-02-03',
  courses: ['Optics', 'Solids'],
}

async function issued(algorithm = 'svcbbs', more: JsonObject = {}): Promise<JsonObject> {
  const { service, issuer, schema } = world()
  const { status, body } = await service.issue({ issuer, subject, schema, ...more }, { algorithm })
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}

const common = new Map<string, Promise<JsonObject>>()

/** A credential for all tests that leave its issuer and its status as they are. */
function commonOf(algorithm = 'svcbbs'): Promise<JsonObject> {
  const known = common.get(algorithm) ?? issued(algorithm)
  common.set(algorithm, known)
  return known
}

type Checks = Record<string, unknown>
const told = (checks: readonly Record<string, string>[]): Checks =>
  Object.fromEntries(checks.map(({ check, passed, reason }) => [check, reason ?? passed]))

async function checksOf(data: Json, question: JsonObject = {}): Promise<Checks> {
  const { status, body } = await world().service.call('POST', '/verify', { data, ...question })
  expect(status, JSON.stringify(body)).toBe(200)
  return { verified: body.verified, ...told(body.checks) }
}

const shown = async (credential: JsonObject, claims: readonly string[], question: Question = {}) =>
  presentationOf([showing(credential, claims)], question)

const isKeyed = ({ proof }: JsonObject): boolean => isObject(proof) && proof.type === 'Bls12381BBDT16MACDock2024'

const isPlus = ({ proof }: JsonObject): boolean => isObject(proof) && proof.type === 'Bls12381BBS+SignatureDock2022'

const showing = (credential: JsonObject, claims: readonly string[]): Showing => ({
  credential,
  claims,
  ...(!isKeyed(credential) && { publicKey: isPlus(credential) ? world().plusKey : world().publicKey }),
})

const copyOf = (value: JsonObject): JsonObject => JSON.parse(JSON.stringify(value))

/**
 * `npm run soak -- anonymous` tries every value at every place, and every choice of a holder; the tests a third of the
 * places for each algorithm.
 */
const IS_WHOLE = process.env.SOAK_ANONYMOUS === 'whole'

/**
 * Every place of a document with another value there, and every member more or less. Of the values, which are of the same
 * type and of others, each place has one; all come by turns, and begin with another one for another `turn`.
 */
function mutants(document: JsonObject, turn = 0): { name: string; mutant: JsonObject }[] {
  const found: { name: string; mutant: JsonObject }[] = []
  let place = turn
  const visit = (value: Json, path: (string | number)[]) => {
    const put = (name: string, change: (parent: { [step: string]: Json }, step: string) => void) => {
      const mutant = copyOf(document)
      let parent: Json = mutant
      for (const step of path.slice(0, -1)) parent = (parent as { [step: string]: Json })[step] ?? null
      change(parent as { [step: string]: Json }, String(path.at(-1)))
      found.push({ name: `${path.join('/')} ${name}`, mutant })
    }
    if (path.length > 0) {
      const others = otherValues(value)
      const one = place++ % others.length
      for (const other of IS_WHOLE ? others : others.slice(one, one + 1))
        put(JSON.stringify(other).slice(0, 40), (parent, step) => Object.assign(parent, { [step]: other }))
      if (typeof path.at(-1) === 'string') put('left out', (parent, step) => delete parent[step])
    }
    if (Array.isArray(value)) {
      put('one item more', (parent, step) => Object.assign(parent, { [step]: [...value, 'x'] }))
      for (const [index, item] of value.entries()) visit(item, [...path, index])
    } else if (isObject(value)) {
      const more = { ...value, extra: 'x' }
      if (path.length === 0) found.push({ name: 'one member more', mutant: { ...copyOf(document), extra: 'x' } })
      else put('one member more', (parent, step) => Object.assign(parent, { [step]: more }))
      for (const [name, member] of Object.entries(value)) visit(member, [...path, name])
    }
  }
  visit(document, [])
  return IS_WHOLE ? found : found.filter((_, at) => (at + turn) % 3 === 0)
}

function otherValues(value: Json): Json[] {
  if (typeof value === 'string') return [`${value}x`, '', [value], { '0': value }, 1, true]
  if (typeof value === 'number') return [value + 1, value + 0.01, value + 0.001, String(value)]
  if (typeof value === 'boolean') return [!value, String(value), value ? 1 : 0]
  return ['x']
}

const ALGORITHMS = ['svcbbs', 'svcbbs+', 'bbdt16']

/** The choices of a holder: each algorithm has one of them here. */
const SHOWN_CLAIMS = [['credentialSubject.id', 'credentialSubject.courses.0', 'id'], ['credentialSubject.grade'], []]

describe.each(ALGORITHMS)('a credential with the algorithm %s', (algorithm) => {
  const turn = ALGORITHMS.indexOf(algorithm)

  it('verifies, and is listed with its algorithm', async () => {
    const vc = await commonOf(algorithm)
    expect(await checksOf(vc)).toMatchObject({
      verified: true,
      structure: true,
      proof: true,
      issuerKey: true,
      schema: true,
    })
    const { body } = await world().service.call('GET', `/credentials/${encodeURIComponent(String(vc.id))}`)
    expect(body).toMatchObject({ algorithm })
  })

  it('names the hosted context of its schema and no inline terms, so that only what is said is signed', async () => {
    const { '@context': contexts } = await commonOf(algorithm)
    const { schema } = world()
    expect(contexts).toEqual([
      CREDENTIALS_V1,
      schema.replace('/schema-documents/', '/contexts/').replace(/\.json$/, '.jsonld'),
      { sec: expect.any(String), proof: expect.any(Object) },
      expect.stringMatching(/^https:\/\/ld\.truvera\.io\/security\/(bbs23|bbs|bbdt16)\/v1$/),
    ])
  })

  it('does not verify with any member changed, left out or added', async () => {
    const vc = await issued(algorithm, { name: 'A degree', issuer: { id: world().issuer, name: 'Uni' } })
    const all = mutants(vc, turn)
    expect(all.length).toBeGreaterThan(IS_WHOLE ? 150 : 22)
    const passed: string[] = []
    for (const { name, mutant } of all) if ((await checksOf(mutant)).verified) passed.push(name)
    expect(passed).toEqual([])
  })

  it('shows what its holder wants of it, as a presentation and as a credential', async () => {
    const vc = await commonOf(algorithm)
    for (const claims of SHOWN_CLAIMS.filter((_, at) => IS_WHOLE || at === turn)) {
      const presentation = await shown(vc, claims, { nonce: 'n-1' })
      const good = { verified: true, proof: true, structure: true }
      expect(await checksOf(presentation), claims.join()).toMatchObject(good)
      expect(await checksOf(asCredential(presentation))).toMatchObject({
        ...good,
        issuerKey: true,
        schema: true,
        validity: true,
      })
    }
  })

  it('does not verify when what its holder shows is changed, left out or added to', async () => {
    const claims = ['grade', 'isHonours', 'born'].map((name) => `credentialSubject.${name}`)
    const presentation = await shown(await commonOf(algorithm), claims, { nonce: 'n-1', context: 'verifier.example' })
    const derived = asCredential(presentation)
    for (const good of [presentation, derived]) expect(await checksOf(good)).toMatchObject({ verified: true })
    // These two are the wallet's: the data model wants them, and nothing is read from them.
    const isFiller = (name: string) => ['id left out', 'issuanceDate left out'].includes(name)
    const passed: string[] = []
    for (const { name, mutant } of [...mutants(presentation, turn), ...mutants(derived, turn + 3)])
      if (!isFiller(name) && (await checksOf(mutant)).verified) passed.push(name)
    expect(passed).toEqual([])
    for (const more of [
      { issuanceDate: '2020-01-01T00:00:00Z' },
      { id: 'urn:example:another' },
      { expirationDate: '2099-01-01T00:00:00Z' },
    ])
      expect(await checksOf({ ...derived, ...more })).toMatchObject({ verified: false })
  })
})

describe('BBDT16', () => {
  const secret = new Uint8Array(32).fill(7)

  it('of a key that is not here is unavailable, whoever is named as its issuer', async () => {
    const vc = await commonOf('bbdt16')
    const { did } = testKey()
    for (const issuer of [world().issuer, did]) {
      const verificationMethod = `${issuer}#${encodeBase58(new Uint8Array(48).fill(9))}`
      const foreign = await signedBy(secret, { ...vc, issuer, proof: { ...proofOf(vc), verificationMethod } })
      const unknown = { verified: false, proof: 'unavailable', issuerKey: 'unavailable' }
      const presentation = await shown(foreign, [])
      expect(await checksOf(foreign)).toMatchObject(unknown)
      expect(await checksOf(asCredential(presentation))).toMatchObject(unknown)
      expect(await checksOf(presentation)).toMatchObject({ verified: false, proof: 'unavailable' })
    }
  })

  it('forged with another key passes all that can be checked without the key, and does not verify', async () => {
    const vc = await commonOf('bbdt16')
    const forged = await signedBy(secret, { ...vc, credentialSubject: { ...subject, degree: 'Ph.D.' } })
    const presentation = await shown(forged, ['credentialSubject.degree'])
    expect(await keyedProofsOf(presentation)).toHaveLength(1)
    for (const data of [forged, presentation, asCredential(presentation)])
      expect(await checksOf(data)).toMatchObject({ verified: false, proof: 'invalid_signature' })
  })

  it('is not proven by a proof for its key that comes alone or from another presentation', async () => {
    const vc = await commonOf('bbdt16')
    const [genuine, other] = [await shown(vc, [], { nonce: 'n-1' }), await shown(vc, ['id'], { nonce: 'n-2' })]
    const [loose] = await keyedProofsOf(genuine)
    expect(await checksOf(loose ?? null)).toMatchObject({ verified: false })
    expect(await checksOf({ ...other, keyedProofs: [loose ?? null] })).toMatchObject({ verified: false })
    expect(await checksOf({ ...other, proof: genuine.proof ?? null })).toMatchObject({ verified: false })
  })

  it('is good until its DID is deactivated, and afterwards where it shows that it is older', async () => {
    const { service } = world()
    const issuer = await service.did()
    const vc = await issued('bbdt16', { issuer })
    const presentation = await shown(vc, [])
    expect(await checksOf(presentation)).toMatchObject({ verified: true })
    const { body } = await service.call('DELETE', `/dids/${issuer}`)
    await service.finished(body.id)
    expect(await checksOf(vc)).toMatchObject({ verified: true, issuerKey: 'key_deactivated' })
    expect(await checksOf(asCredential(presentation))).toMatchObject({ verified: false, issuerKey: 'key_retired' })
    // Nobody else could check what the key made; it makes nothing more, whoever asks the signer.
    await sweepMacKeys(service.loop.environment)
    expect(await checksOf(vc)).toMatchObject({ verified: true, issuerKey: 'key_deactivated' })
    expect(await checksOf(asCredential(presentation))).toMatchObject({ verified: false, issuerKey: 'key_retired' })
    const [key] = await macKeysOf(issuer)
    expect(key).toMatchObject({ retired: expect.any(Date) })
    const messages = [new Uint8Array(32).fill(1)]
    const more = service.loop.environment.signer.signMessages(key?.key_ref ?? '', messages)
    await expect(more).rejects.toMatchObject({ type: 'key_retired' })
  })

  it('is good where its DID was forgotten and taken up again, and later ones are made with another key', async () => {
    const { service } = world()
    const issuer = await service.did()
    const vc = await issued('bbdt16', { issuer })
    const { body: wallet } = await service.call('POST', `/dids/${issuer}/export`, { password: 'sesame' })
    await service.call('DELETE', `/dids/${issuer}?fromBlockchain=false`)
    const taken = await service.call('POST', '/dids/import', { data: wallet, password: 'sesame' })
    expect(taken, JSON.stringify(taken.body)).toMatchObject({ status: 200 })
    const later = await issued('bbdt16', { issuer })
    expect(proofOf(later).verificationMethod).not.toBe(proofOf(vc).verificationMethod)
    for (const data of [vc, later]) expect(await checksOf(data)).toMatchObject({ verified: true, issuerKey: true })
    expect((await macKeysOf(issuer)).map(({ retired }) => retired === null).sort()).toEqual([false, true])
  })
})

const macKeysOf = (did: string) =>
  world().service.scratch.db.read('system', (reader) =>
    reader.selectFrom('mac_keys').select(['key_ref', 'retired']).where('did', '=', did).execute(),
  )

const proofOf = ({ proof }: JsonObject): JsonObject => (isObject(proof) ? proof : {})

async function keyedProofsOf(presentation: JsonObject): Promise<JsonObject[]> {
  await crypto.initializeWasm()
  const read = crypto.Presentation.fromJSON(presentation)
  expect(read.verify(new Map()).verified).toBe(true)
  return [...read.getKeyedProofs().values()].map((proof) => JSON.parse(JSON.stringify(proof.toJSON())))
}

describe('a part that its holder shows', () => {
  it('counts as shown: other claims of the schema may be hidden, and those that are there have to satisfy it', async () => {
    const vc = await commonOf()
    const derived = asCredential(await shown(vc, ['credentialSubject.id']))
    expect(derived.credentialSubject).toEqual({ id: subject.id })
    expect(await checksOf(derived)).toMatchObject({ verified: true, schema: true })
  })

  it('is bound to the question of the verifier', async () => {
    const presentation = await shown(await commonOf(), [], { nonce: 'n-1', context: 'verifier.example' })
    const ask = (challenge: string, domain: string) => checksOf(presentation, { challenge, domain })
    expect(await ask('n-1', 'verifier.example')).toMatchObject({ verified: true, challenge: true, holder: null })
    expect(await ask('n-2', 'verifier.example')).toMatchObject({ verified: false, challenge: 'wrong_challenge' })
    expect(await ask('n-1', 'other.example')).toMatchObject({ verified: false, challenge: 'wrong_domain' })
  })

  it('may be of several credentials of several schemes, with one proof, and equal claims in them', async () => {
    const credentials = await Promise.all(
      ['svcbbs', 'bbdt16', 'svcbbs+', 'svcbbs'].map((algorithm) => commonOf(algorithm)),
    )
    const equal = credentials.map((_, place) => [place, 'credentialSubject.id'] as const)
    const presentation = await presentationOf(
      credentials.map((credential) => showing(credential, ['credentialSubject.year'])),
      { nonce: 'n', equal },
    )
    const { body } = await world().service.call('POST', '/verify', { data: presentation })
    expect(body).toMatchObject({ verified: true })
    expect(body.results).toHaveLength(5)
    const forged = await presentationOf([
      showing(await commonOf(), []),
      showing(await signedBy(new Uint8Array(32).fill(7), await commonOf('bbdt16')), []),
    ])
    expect(await checksOf(forged)).toMatchObject({ verified: false, proof: 'invalid_signature' })
  })

  it('demands what the schema requires as soon as nothing of the subject is hidden', async () => {
    const vc = await commonOf()
    const all = Object.keys(subject).flatMap((name) =>
      name === 'courses'
        ? ['credentialSubject.courses.0', 'credentialSubject.courses.1']
        : [`credentialSubject.${name}`],
    )
    const hides = (derived: JsonObject) => {
      const read = formatsOf(FORMATS).recognise(derived)
      return read.kind === 'credential' && !read.wrong && read.claims.hidesClaims
    }
    const whole = asCredential(await shown(vc, all))
    const [most, none] = [asCredential(await shown(vc, all.slice(1))), asCredential(await shown(vc, []))]
    expect([whole, most, none].map(hides)).toEqual([false, true, true])
    expect(await checksOf(whole)).toMatchObject({ verified: true, schema: true })
  })

  it('with ciphertexts of claims cannot be checked here, and they are not decoded, however long they are', async () => {
    const presentation = await shown(await commonOf(), [])
    const attributeCiphertexts = { '0': { degree: ['z'.repeat(200_000)] } }
    const derived = asCredential(presentation)
    const inCredential = { ...derived, proof: { ...proofOf(derived), attributeCiphertexts } }
    const begun = performance.now()
    expect(await checksOf({ ...presentation, attributeCiphertexts })).toMatchObject({ structure: 'unavailable' })
    expect(await checksOf(inCredential)).toMatchObject({ verified: false, structure: 'too_large' })
    expect(performance.now() - begun).toBeLessThan(5_000)
  })

  it('has texts in base58 of a bounded length, since others wait for the threads that read them', async () => {
    const presentation = await shown(await commonOf(), [])
    const { spec } = presentation
    const equal = [
      [0, 'credentialSubject.id'],
      [0, 'id'],
    ]
    const attributeEqualities: Json[] = Array.from({ length: 65 }, () => equal)
    const more = { ...(isObject(spec) ? spec : {}), attributeEqualities }
    for (const large of [{ proof: 'z'.repeat(40_001) }, { nonce: 'z'.repeat(513) }, { spec: more }])
      expect(await checksOf({ ...presentation, ...large })).toMatchObject({ verified: false, structure: 'too_large' })
  })

  it('cannot hide when it ends', async () => {
    const { issuer } = world()
    const vc = await issued('svcbbs', { expirationDate: '2099-01-01T00:00:00Z', validFrom: '2020-01-01T00:00:00Z' })
    const ends = ['expirationDate', 'validFrom']
    expect(await checksOf(asCredential(await shown(vc, ends)))).toMatchObject({ verified: true, validity: true })
    for (const claims of [[], ends.slice(1), ends.slice(0, 1)]) {
      const presentation = await shown(vc, claims)
      for (const data of [presentation, asCredential(presentation)])
        expect(await checksOf(data)).toMatchObject({ verified: false, structure: 'hidden_claim' })
    }
    const over = await issued('svcbbs', {
      issuer,
      issuanceDate: '2019-01-01T00:00:00Z',
      expirationDate: '2020-01-01T00:00:00Z',
    })
    expect(await checksOf(asCredential(await shown(over, ['expirationDate'])))).toMatchObject({
      verified: false,
      validity: 'expired',
    })
  })

  it('is of a credential that a delegation chain holds, whether its link is shown or not', async () => {
    const vc = await issued('svcbbs', { previousCredentialId: 'urn:example:before' })
    for (const claims of [[], ['previousCredentialId']])
      expect(await checksOf(asCredential(await shown(vc, claims)))).toMatchObject({
        verified: false,
        delegation: 'unavailable',
      })
  })

  it('with a proof about a hidden number cannot be checked here, and is not passed over', async () => {
    const presentation = await shown(await commonOf(), [], { bounds: [[0, 'credentialSubject.year', 2000, 3000]] })
    for (const data of [presentation, asCredential(presentation)])
      expect(await checksOf(data)).toMatchObject({ verified: false, structure: 'unavailable' })
  })

  it('verifies in a presentation that its holder signed, for the question that this answers', async () => {
    const holder = testKey()
    const vc = await issued('svcbbs', { subject: { ...subject, id: holder.did } })
    const derived = asCredential(await shown(vc, ['credentialSubject.id', 'credentialSubject.degree'], { nonce: 'n' }))
    const created = new Date().toISOString()
    const options = {
      created,
      verificationMethod: holder.keyId,
      proofPurpose: 'authentication',
      challenge: 'c-1',
    } as const
    const { contexts } = { contexts: await hostedContexts(vc) }
    const presentation = await addProof({
      document: {
        '@context': [CREDENTIALS_V1, ED25519_2020],
        type: 'VerifiablePresentation',
        holder: holder.did,
        verifiableCredential: [derived],
      },
      suite: ed25519Of2020,
      options,
      hash: hashHere(contexts),
      sign: holder.sign,
    })
    const question = { challenge: 'c-1', require: ['holderBinding'] }
    expect(await checksOf(presentation, question)).toMatchObject({
      verified: true,
      holder: true,
      holderBinding: true,
      schema: true,
    })
    const other = asCredential(await shown(vc, ['credentialSubject.degree']))
    expect(await checksOf({ ...presentation, verifiableCredential: [other] })).toMatchObject({ verified: false })
  })
})

async function hostedContexts(credential: JsonObject): Promise<ExtraContexts> {
  const urls = asArray(credential['@context']).filter((part) => typeof part === 'string' && part.includes('/contexts/'))
  const documents = urls.map(async (url) => {
    const { body } = await world().service.call('GET', new URL(String(url)).pathname)
    return [String(url), { document: body, isKept: true }] as const
  })
  return new Map(await Promise.all(documents))
}

describe('a key of the issuer', () => {
  it('that signed has to be its own, of the kind, and good at the time', async () => {
    const vc = await commonOf()
    const other = await world().service.did()
    const borrowed = await signedBy(new Uint8Array(32).fill(7), {
      ...vc,
      proof: { ...proofOf(vc), verificationMethod: `${other}#keys-2` },
    })
    expect(await checksOf(borrowed)).toMatchObject({ verified: false, issuerKey: 'not_the_issuer' })
    const ed25519 = { ...vc, proof: { ...proofOf(vc), verificationMethod: `${world().issuer}#keys-1` } }
    expect(await checksOf(ed25519)).toMatchObject({ verified: false, issuerKey: 'key_type_not_supported' })
  })

  it('that is retired does not vouch for what hides when it was signed', async () => {
    const { service } = world()
    const issuer = await service.did()
    const vc = await issued('svcbbs', { issuer })
    const presentation = await presentationOf([
      { credential: vc, claims: [], publicKey: await bbsKeyOf(service, issuer) },
    ])
    const { body } = await service.call('DELETE', `/dids/${issuer}`)
    await service.finished(body.id)
    expect(await checksOf(vc)).toMatchObject({ verified: true, issuerKey: 'key_deactivated' })
    expect(await checksOf(asCredential(presentation))).toMatchObject({ verified: false, issuerKey: 'key_retired' })
  })
})
