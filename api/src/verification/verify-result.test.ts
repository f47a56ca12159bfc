import { expect, it } from 'vitest'
import { type Findings, failed, passed } from '../formats/check.js'
import { testKey } from '../formats/json-ld/testing.js'
import { NOTHING_MORE } from './judgement.js'
import type { ShownMethod } from './key-question.js'
import { credentialResult, presentationResult } from './verify-result.js'

const { did, keyId, multibase } = testKey()
const method: ShownMethod = {
  id: keyId,
  type: 'Ed25519VerificationKey2020',
  controller: did,
  publicKeyMultibase: multibase,
}
const proof = { type: 'X' }
const proofBy = (method: ShownMethod | undefined) => ({ proof, method, findings: {}, keys: new Map() })
const good: Findings = { structure: passed(), proof: passed(), issuerKey: passed(), validity: passed() }

it('a credential has a result for each of its proofs, which tells only what there is to tell', () => {
  const proofs = [proofBy(method), proofBy(undefined)]
  const { checks: _, ...answer } = credentialResult({ findings: good, proofs }, NOTHING_MORE)
  expect(answer).toStrictEqual({
    verified: true,
    results: [
      { proof, verified: true, verificationMethod: method },
      { proof, verified: true },
    ],
  })
})

it('a failure of a credential stands in each result, and a warning on top', () => {
  const findings = { ...good, status: failed('revoked'), holderBinding: failed('other') }
  const { checks: _, ...answer } = credentialResult({ findings, proofs: [proofBy(undefined)] }, NOTHING_MORE)
  const error = 'Revocation check failed: revoked'
  expect(answer).toStrictEqual({
    verified: false,
    error,
    warnings: [expect.stringContaining('other')],
    results: [{ proof, verified: false, error }],
  })
})

it('a presentation has a result for each credential, with a proof where it has one, and one for its own proof', () => {
  const outcome = {
    presentation: { findings: good, proofs: [proofBy(method)] },
    credentials: [
      { findings: good, proofs: [] },
      { findings: good, proofs: [proofBy(undefined)] },
    ],
  }
  const { checks, ...answer } = presentationResult(outcome, NOTHING_MORE)
  expect(answer).toStrictEqual({
    verified: true,
    results: [
      { verified: true, checks },
      { proof, verified: true, checks },
      { proof, verificationMethod: method, verified: true, checks },
    ],
  })
})
