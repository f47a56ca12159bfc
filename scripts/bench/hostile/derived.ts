import { decodeBase58 } from '@accredit/chain'
import type { Client } from '../../tour/client.js'
import { anonymousWallet } from '../source-modules.js'

/** The most that a presentation may show. */
const CREDENTIALS = 8

interface Method {
  id: string
  type: string
  publicKeyBase58?: string
}

/** Presentations of as many BBS credentials of sixty claims as one may show, each with a proof of its own. */
export async function derivedPresentations(client: Client, count: number): Promise<object[]> {
  const { did, id } = await client.call<{ did: string; id: string }>('POST', '/dids', {})
  await client.finished(id)
  const claims = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`claim${n}`, `value ${n}`]))
  const credentials = await Promise.all(
    Array.from({ length: CREDENTIALS }, () =>
      client.call<object>('POST', '/credentials', {
        algorithm: 'svcbbs',
        credential: { type: ['X'], issuer: did, subject: { id: 'did:example:a', ...claims } },
      }),
    ),
  )
  const { verificationMethod } = await client.call<{ verificationMethod: Method[] }>('GET', `/dids/${did}`)
  const method = verificationMethod.find((one) => one.id === `${did}#keys-2`)
  const publicKey = decodeBase58(method?.publicKeyBase58 ?? '')
  if (publicKey === undefined) throw new Error('the DID has no key for BBS')
  const { presentationOf } = await anonymousWallet()
  const shown = credentials.map((credential) => ({ credential, claims: ['credentialSubject.claim0'], publicKey }))
  const presentations: object[] = []
  for (let n = 0; n < count; n++) presentations.push(await presentationOf(shown, { nonce: `n-${n}` }))
  return presentations
}
