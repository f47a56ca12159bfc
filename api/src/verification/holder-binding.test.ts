import { parseDid, type VerificationMethod } from '@accredit/chain'
import { describe, expect, it } from 'vitest'
import { type Finding, failed, passed } from '../formats/check.js'
import type { NeededKey, ProofPurpose, ReadCredential, Unreadable } from '../formats/credential-format.js'
import type { Json, JsonObject } from '../formats/json.js'
import { claimsOf } from '../formats/json-ld/document-claims.js'
import { testKey } from '../formats/json-ld/testing.js'
import { holderBinding, holderKeyProven } from './holder-binding.js'

const { did } = testKey()
const proofBy = (text: string | undefined, purpose: ProofPurpose = 'authentication') => {
  const controller = parseDid(text ?? '')
  const method: VerificationMethod | undefined =
    controller === undefined
      ? undefined
      : {
          id: `${controller}#k`,
          type: 'Ed25519VerificationKey2020',
          controller,
          publicKeyMultibase: 'z',
        }
  const key: NeededKey = { id: `${text}#k`, purpose, kind: 'Ed25519', half: 'public' }
  const keys = new Map([[key, { finding: passed(), ...(method && { method }) }]])
  return { proof: {}, method, findings: {}, keys }
}
const signedBy = (holder: Finding | undefined, ...controllers: (string | undefined)[]) => ({
  findings: { ...(holder && { holder }) },
  proofs: controllers.map((controller) => proofBy(controller)),
})
const saying = (document: JsonObject): ReadCredential => ({
  kind: 'credential',
  claims: claimsOf(document),
  proofs: [],
})
const about = (...ids: (Json | undefined)[]): ReadCredential =>
  saying({ credentialSubject: ids.map((id) => (id === undefined ? {} : { id })) })
const UNREADABLE: Unreadable = { kind: 'credential', wrong: failed('malformed') }

it('passes when each subject is who signed, with one proof or several', () => {
  for (const presentation of [signedBy(passed(), did), signedBy(passed(), did, did)])
    for (const credential of [about(did), about(did, did), saying({ credentialSubject: { id: did } })])
      expect(holderBinding(presentation, credential)).toEqual({ passed: true })
})

it.each<[string, ReadCredential | Unreadable, Finding]>([
  ['no form', UNREADABLE, failed('not_checked', 'it has no subject')],
  ['no subject', saying({}), failed('not_checked', 'it has no subject')],
  ['no subject in a list', saying({ credentialSubject: [] }), failed('not_checked', 'it has no subject')],
  ['a nameless subject', about(undefined), { passed: null, reason: 'anonymous', detail: expect.any(String) }],
  ['a nameless subject beside', about(did, undefined), expect.objectContaining({ passed: null, reason: 'anonymous' })],
  ['another beside a nameless one', about(undefined, 'did:x:y'), expect.objectContaining({ reason: 'other_subject' })],
  ['an id that is no text', about([did]), expect.objectContaining({ passed: false, reason: 'other_subject' })],
  ['a text for a subject', saying({ credentialSubject: did }), expect.objectContaining({ reason: 'other_subject' })],
])('of a credential with %s does not pass', (_, credential, finding) => {
  expect(holderBinding(signedBy(passed(), did), credential)).toEqual(finding)
})

it.each<[string, ReturnType<typeof signedBy>, string]>([
  ['nobody who is looked at', signedBy(undefined, did), 'holder_not_proven'],
  ['somebody else', signedBy(failed('x'), did), 'holder_not_proven'],
  ['two', signedBy(passed(), did, testKey().did), 'several_holders'],
  ['one, and a key of nobody', signedBy(passed(), did, undefined), 'several_holders'],
  ['a key of nobody', signedBy(passed(), undefined), 'several_holders'],
  ['nobody', signedBy(passed()), 'several_holders'],
])('does not pass for a presentation that is signed by %s', (_, presentation, reason) => {
  expect(holderBinding(presentation, about(did))).toMatchObject({ passed: false, reason })
})

describe('a credential that names the key of its holder', () => {
  const naming = (holderKey: string): ReadCredential => {
    const { claims, ...credential } = about('did:example:somebody')
    return { ...credential, claims: { ...claims, holderKey } }
  }

  it('is bound where that key signed the presentation, whoever it is about', () => {
    const [presentation, credential] = [signedBy(passed(), did), naming(`${did}#k`)]
    expect(holderKeyProven(presentation, credential)).toEqual({ passed: true })
    expect(holderBinding(presentation, credential)).toEqual({ passed: true })
  })

  it('is bound where that key signed the presentation beside others', () => {
    const presentation = signedBy(passed(), testKey().did, did)
    expect(holderKeyProven(presentation, naming(`${did}#k`))).toEqual({ passed: true })
  })

  it('is not bound where that key vouched for a credential in the presentation, as an issuer', () => {
    const presentation = { findings: { holder: passed() }, proofs: [proofBy(did, 'assertionMethod')] }
    expect(holderKeyProven(presentation, naming(`${did}#k`))).toMatchObject({ passed: false, reason: 'other_holder' })
  })

  it.each<[string, ReturnType<typeof signedBy>, string]>([
    ['another key', signedBy(passed(), testKey().did), 'other_holder'],
    ['nobody', signedBy({ passed: null }, did), 'holder_not_proven'],
    ['nobody who is looked at', signedBy(undefined, did), 'holder_not_proven'],
  ])('is not bound where %s signed the presentation', (_, presentation, reason) => {
    const credential = naming(`${did}#k`)
    expect(holderKeyProven(presentation, credential)).toMatchObject({ passed: false, reason })
    expect(holderBinding(presentation, credential)).toMatchObject({ passed: false, reason })
  })

  it('tells why the holder of the presentation is not proven', () => {
    const [presentation, credential] = [signedBy(failed('x', 'y'), did), naming(`${did}#k`)]
    expect(holderKeyProven(presentation, credential)).toEqual(failed('x', 'y'))
    expect(holderBinding(presentation, credential)).toMatchObject({ passed: false, reason: 'holder_not_proven' })
  })
})

it('a credential without a holder key needs none, and is anonymous where nobody signed the presentation', () => {
  const presentation = signedBy({ passed: null })
  expect(holderKeyProven(presentation, about(did))).toEqual({ passed: null })
  expect(holderBinding(presentation, about(did))).toMatchObject({ passed: null, reason: 'anonymous' })
})
