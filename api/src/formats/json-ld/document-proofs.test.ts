import { expect, it } from 'vitest'
import { FormatError, type FormatErrorCode } from '../format-error.js'
import { documentProofs } from './document-proofs.js'
import { ed25519Of2020 } from './ed25519-2020.js'
import { signedCredential, testKey } from './testing.js'

const key = testKey()

async function foundWith(code: FormatErrorCode) {
  const [proof] = documentProofs(await signedCredential(key, ed25519Of2020), 'assertionMethod')
  if (proof?.checking.by !== 'anybody') throw new Error('anybody can check it')
  return proof.checking.check([key.publicKey], {
    hashWith: async () => () => Promise.reject(new FormatError(code, 'a reason')),
  })
}

const failed = (reason: string) => ({ passed: false, reason, detail: 'a reason' })

it.each<FormatErrorCode>(['unavailable', 'unknown_context'])('what is %s could not be looked at', async (code) => {
  expect(await foundWith(code)).toEqual({ proof: failed('unavailable') })
})

it.each<FormatErrorCode>(['malformed', 'invalid_context'])('what is %s has no good form either', async (code) => {
  expect(await foundWith(code)).toEqual({ proof: failed(code), structure: failed('malformed') })
})

it.each<FormatErrorCode>(['too_large', 'unmapped_term', 'relative_id'])('what is %s is told as that', async (code) => {
  expect(await foundWith(code)).toEqual({ proof: failed(code) })
})
