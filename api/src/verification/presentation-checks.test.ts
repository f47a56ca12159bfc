import { expect, it } from 'vitest'
import { failed, passed } from '../formats/check.js'
import type { Claims, NeededKey, NonEmpty, Proof, ReadPresentation } from '../formats/credential-format.js'
import { claimsOf } from '../formats/json-ld/document-claims.js'
import { testKey } from '../formats/json-ld/testing.js'
import { resolveAt } from '../ledger/read/at.js'
import { forAllTests } from '../platform/testing/for-all-tests.js'
import { checkCredential } from './credential-checks.js'
import { checkPresentation, type PresentationQuestion } from './presentation-checks.js'
import { TestVerifier, timeOf } from './testing.js'

const world = forAllTests(() => TestVerifier.open())

const NOTHING: PresentationQuestion = {
  trustRegistryId: undefined,
  verifierDID: undefined,
  maxStatusAgeSeconds: undefined,
  challenge: undefined,
  domain: undefined,
}
/** It has no answer, but that to when it is asked about. */
const UNKNOWN_REGISTRY = { ...NOTHING, trustRegistryId: 'unknown' } as const

const pointNow = () => resolveAt(world().ledger.index, undefined, { now: () => timeOf(100) })
const now = timeOf(60).toISOString()

const issuer = testKey()
const claims: Claims = claimsOf({ issuer: issuer.did })
const keyOf = ({ keyId }: { keyId: string }, signedAt = now): NeededKey => ({
  id: keyId,
  purpose: 'assertionMethod',
  kind: 'Ed25519',
  half: 'public',
  signedAt,
})
const proofBy = (...keys: NonEmpty<NeededKey>): Proof => ({
  shown: {},
  created: now,
  expires: [],
  challenge: undefined,
  domain: undefined,
  checking: { by: 'keys', keys, check: async () => ({ proof: passed() }) },
})
const presenting = (more: Partial<ReadPresentation>): ReadPresentation => ({
  kind: 'presentation',
  holder: undefined,
  dates: { begins: [], ends: [] },
  credentials: [],
  proofs: [],
  ...more,
})
const checked = async (more: Partial<ReadPresentation>, question = NOTHING) =>
  checkPresentation(world().door(), question, presenting(more), await pointNow())

it('nothing of a presentation is looked at where its form is wrong', async () => {
  const wrong = failed('malformed')
  expect(await checkPresentation(world().door(), NOTHING, { kind: 'presentation', wrong }, await pointNow())).toEqual({
    presentation: { findings: { structure: wrong }, proofs: [] },
    credentials: [],
  })
})

it('a presentation without any proof is of nobody', async () => {
  const { presentation } = await checked({})
  expect(presentation.findings.holder).toEqual(failed('not_checked'))
})

it('the proof over a derived credential is the one that needs the key of its issuer', async () => {
  const key = keyOf(issuer)
  const { credentials } = await checked({
    credentials: [{ kind: 'derived', claims, key }],
    proofs: [proofBy(keyOf(testKey())), proofBy(key)],
  })
  expect(credentials).toMatchObject([{ findings: { proof: passed(), issuerKey: passed() } }])
  expect(credentials[0]?.proofs).toEqual([])
})

it('a derived credential whose key no proof needs is not checked', async () => {
  const { credentials } = await checked({
    credentials: [{ kind: 'derived', claims, key: keyOf(issuer) }],
    proofs: [proofBy(keyOf(testKey()))],
  })
  const unchecked = failed('not_checked')
  expect(credentials).toMatchObject([{ findings: { proof: unchecked, issuerKey: unchecked } }])
})

it('an issuer is asked about as of the time that it claims, whatever a holder claims later', async () => {
  for (const [signedAt, reason] of [
    [now, 'unknown_registry'],
    ['hidden', 'unreadable_date'],
  ] as const) {
    const key = keyOf(issuer, signedAt)
    const derived = { credentials: [{ kind: 'derived', claims, key }], proofs: [proofBy(key)] } as const
    const { credentials } = await checked(derived, UNKNOWN_REGISTRY)
    const whole = { kind: 'credential', claims, proofs: [proofBy(key)] } as const
    const alone = await checkCredential(world().door(), UNKNOWN_REGISTRY, whole, await pointNow())
    for (const one of [...credentials, alone])
      expect(one.findings.authorisedWhenIssued).toMatchObject({ passed: false, reason })
  }
})

it('a document whose form is wrong says why itself, inside a presentation too', async () => {
  const crowd = { '@context': ['https://www.w3.org/2018/credentials/v1'], type: ['VerifiablePresentation'], proof: {} }
  const document = { ...crowd, verifiableCredential: Array(40).fill({}) }
  const { credentials } = await checked({ credentials: [{ kind: 'document', document }] })
  expect(credentials).toMatchObject([{ findings: { structure: { passed: false, reason: 'too_large' } } }])
})
