import type { Static } from 'typebox'
import { Check } from 'typebox/schema'
import { Attempts } from '../platform/attempts.js'
import type { Environment } from '../platform/context.js'
import { VerifiableCredential } from './credential.shape.js'
import { open } from './persisted.js'

const attempts = new Attempts()

/**
 * The persisted credential, or undefined when the password is wrong.
 * @throws 429 after too many wrong ones
 */
export async function openCredential(
  { clock }: Pick<Environment, 'clock'>,
  id: string,
  sealed: Buffer,
  password: string,
): Promise<Static<typeof VerifiableCredential> | undefined> {
  attempts.begin(id, clock.now())
  const text = await open(sealed, password)
  if (text === undefined) return undefined
  attempts.succeeded(id)
  const credential: unknown = JSON.parse(text)
  if (!Check(VerifiableCredential, credential)) throw new TypeError(`the persisted credential ${id} is malformed`)
  return credential
}
