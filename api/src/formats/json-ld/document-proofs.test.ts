import { expect, it } from 'vitest'
import { FormatError, type FormatErrorCode } from '../format-error.js'
import { documentProofs } from './document-proofs.js'
import { ed25519Of2020 } from './suites/ed25519-2020.js'
import { signedCredential, testKey, toolsHere } from './testing.js'

const key = testKey()

async function foundWith(code: FormatErrorCode) {
  const [proof] = documentProofs(await signedCredential(key, ed25519Of2020), 'assertionMethod')
  if (proof?.checking.by !== 'keys') throw new Error('a key checks it')
  const ask = () => Promise.reject(new Error('nobody needs the private half'))
  return proof.checking.check([{ publicKey: key.publicKey, ask }], {
    ...toolsHere,
    hashWith: async () => () => Promise.reject(new FormatError(code, 'a reason')),
  })
}

const failed = (reason: string) => ({ passed: false, reason, detail: 'a reason' })

it.each<FormatErrorCode>(['unavailable', 'unknown_context'])(
  'a proof over a document that is %s is unavailable',
  async (code) => {
    expect(await foundWith(code)).toEqual({ proof: failed('unavailable') })
  },
)

it.each<FormatErrorCode>(['malformed', 'invalid_context'])(
  'a proof over a document that is %s fails, and so does the structure',
  async (code) => {
    expect(await foundWith(code)).toEqual({ proof: failed(code), structure: failed('malformed') })
  },
)

it.each<FormatErrorCode>(['too_large', 'unmapped_term', 'relative_id'])(
  'a proof over a document that is %s fails for that reason',
  async (code) => {
    expect(await foundWith(code)).toEqual({ proof: failed(code) })
  },
)
