import { randomBytes } from 'node:crypto'
import { Check } from 'typebox/schema'
import { expect, test } from 'vitest'
import { decryptWallet, EncryptedWallet, encryptWallet } from './universal-wallet.js'
import { passwordToKey } from './wallet-key.js'

/** The wallet was made with the library that wallets in the field use, by the password below. */
const fieldWallet: EncryptedWallet = {
  '@context': ['https://www.w3.org/2018/credentials/v1', 'https://w3id.org/wallet/v1'],
  id: 'did:key:z6LSiRhK5mKoJjkcb7rSixkTiMFEqhmmdBwmpe236VeS2TQC#encrypted-wallet',
  type: ['VerifiableCredential', 'EncryptedWallet'],
  issuer: 'did:key:z6LSiRhK5mKoJjkcb7rSixkTiMFEqhmmdBwmpe236VeS2TQC',
  issuanceDate: '2026-01-01T00:00:00.000Z',
  credentialSubject: {
    id: 'did:key:z6LSiRhK5mKoJjkcb7rSixkTiMFEqhmmdBwmpe236VeS2TQC',
    encryptedWalletContents: {
      protected: 'eyJlbmMiOiJYQzIwUCJ9',
      recipients: [
        {
          header: {
            kid: 'did:key:z6LSiRhK5mKoJjkcb7rSixkTiMFEqhmmdBwmpe236VeS2TQC#z6LSiRhK5mKoJjkcb7rSixkTiMFEqhmmdBwmpe236VeS2TQC',
            alg: 'ECDH-ES+A256KW',
            epk: { kty: 'OKP', crv: 'X25519', x: 'LMPsVhRbCNU0hxmWtleCU8sCHAit4hb7huTkFBZ7ZSg' },
            apu: 'LMPsVhRbCNU0hxmWtleCU8sCHAit4hb7huTkFBZ7ZSg',
            apv: 'ZGlkOmtleTp6NkxTaVJoSzVtS29KamtjYjdyU2l4a1RpTUZFcWhtbWRCd21wZTIzNlZlUzJUUUMjejZMU2lSaEs1bUtvSmprY2I3clNpeGtUaU1GRXFobW1kQndtcGUyMzZWZVMyVFFD',
          },
          encrypted_key: 'vWMBjXOA7EmRZAlUAMUVNL4oRhFoENhljvuFlGrejOL7NXKuCmErrg',
        },
      ],
      iv: '0nH_cRsSR9TAG9MFflGyVpttLkrrZhLJ',
      ciphertext:
        'f_SV_GKRvs6dtUT20nGe4AFHPt0Qiryfbfq5Ko3w1vFUlDbuQqrR_1B1B_l1ZmuKaEOCWwjkyMSJFhRf54LfEW6KfbLJqZ_MFXYyN79pTESO3bm28duE_JBl1F6oMkqZj-gyyPh_n7_YpRr9H_3dA4xSZdhKVUYuOFWutD20dSH-rC_97DpmEpjDHPHGskvt1y0vMC8JxkpxBoXMomhGG3RJw4-jvwHzWvrGvd_xkckJlbM01OrrZFIKCaDxI-4mjWdMzDKvitBeTH0IiEMJ6fh3_JuSQtHh',
      tag: 'mz8R0h73YkH27TYTkAfzJA',
    },
  },
}
const password = 'correct horse'
const sources = { now: new Date('2026-02-03T04:05:06Z'), random: randomBytes }
const text = (bytes: Buffer | undefined): unknown => bytes && JSON.parse(bytes.toString())

test('a wallet of the field opens with its password', async () => {
  const opened = text(decryptWallet(fieldWallet, await passwordToKey(password)))
  expect(opened).toEqual({
    contents: [
      {
        '@context': ['https://w3id.org/wallet/v1'],
        id: 'did:example:1#keys-1',
        type: 'Ed25519VerificationKey2018',
        controller: 'did:example:1',
        publicKeyBase58: 'GfHq2tTVk9z4eXgyL5pXiwbd7iK9Xj3vyk3Y9x5iA1sV',
      },
    ],
  })
})

test('a wallet made here has the form of the field, and opens again', async () => {
  const key = await passwordToKey(password)
  const wallet = encryptWallet([{ id: 'urn:uuid:1', name: 'Ünïversal' }], key, sources)
  expect(Check(EncryptedWallet, wallet)).toBe(true)
  expect({ ...wallet, issuanceDate: '', credentialSubject: '' }).toEqual({
    ...fieldWallet,
    issuanceDate: '',
    credentialSubject: '',
  })
  const [recipient] = wallet.credentialSubject.encryptedWalletContents.recipients
  const [theirs] = fieldWallet.credentialSubject.encryptedWalletContents.recipients
  expect(recipient?.header).toMatchObject({ kid: theirs?.header.kid, alg: theirs?.header.alg, apv: theirs?.header.apv })
  expect(text(decryptWallet(wallet, key))).toEqual({ contents: [{ id: 'urn:uuid:1', name: 'Ünïversal' }] })
})

test('no two wallets share a key or a nonce, even with the same contents and password', async () => {
  const key = await passwordToKey(password)
  const [first, second] = [encryptWallet([], key, sources), encryptWallet([], key, sources)].map(
    ({ credentialSubject }) => credentialSubject.encryptedWalletContents,
  )
  for (const member of ['iv', 'ciphertext', 'tag'] as const) expect(first?.[member]).not.toBe(second?.[member])
  expect(first?.recipients[0]?.header.epk.x).not.toBe(second?.recipients[0]?.header.epk.x)
})

test('another password opens nothing', async () => {
  const key = await passwordToKey('correct horsf')
  expect(decryptWallet(fieldWallet, key)).toBeUndefined()
  const { did, id } = await passwordToKey(password)
  expect(decryptWallet(fieldWallet, { ...key, did, id })).toBeUndefined()
})

test('nothing opens once any part was altered', async () => {
  const key = await passwordToKey(password)
  const jwe = fieldWallet.credentialSubject.encryptedWalletContents
  const altered = (value: string) => (value.startsWith('A') ? 'B' : 'A') + value.slice(1)
  const [recipient] = jwe.recipients
  if (recipient === undefined) throw new Error('the wallet has a recipient')
  const { header } = recipient
  const forms = [
    ...(['iv', 'ciphertext', 'tag', 'protected'] as const).map((member) => ({
      ...jwe,
      [member]: altered(jwe[member]),
    })),
    { ...jwe, recipients: [] },
    { ...jwe, recipients: [{ ...recipient, encrypted_key: altered(recipient.encrypted_key) }] },
    { ...jwe, recipients: [{ ...recipient, header: { ...header, epk: { ...header.epk, x: 'AAAA' } } }] },
    { ...jwe, recipients: [{ ...recipient, header: { ...header, alg: 'dir' } }] },
  ]
  for (const encryptedWalletContents of forms) {
    const wallet = { ...fieldWallet, credentialSubject: { id: '', encryptedWalletContents } }
    expect(decryptWallet(wallet, key)).toBeUndefined()
  }
})
