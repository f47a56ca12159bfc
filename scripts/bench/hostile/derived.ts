import { decodeBase58 } from '@accredit/chain'
import type { Client } from '../../tour/client.js'
import { anonymousWallet } from '../source-modules.js'

/** The most credentials that a presentation may show, and claims of each that leave its proof within 40,000 characters. */
const CREDENTIALS = 8
const CLAIMS = 44

interface Method {
  id: string
  type: string
  publicKeyBase58?: string
}

/** Presentations of as many BBS credentials as one may show, each of as many claims as its proof has room for. */
export async function derivedPresentations(client: Client, count: number): Promise<object[]> {
  const { did, id } = await client.call<{ did: string; id: string }>('POST', '/dids', {})
  await client.finished(id)
  const claims = Object.fromEntries(Array.from({ length: CLAIMS }, (_, n) => [`claim${n}`, `value ${n}`]))
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
