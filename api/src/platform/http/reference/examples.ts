/** The names in the examples of the reference. None of them exists: callers who try an example put in their own. */
export const EXAMPLE = {
  convener: 'did:svc:ziyPooLfB9bMK7kRPkLn8LkzDd49excCMxiF22dwRWs',
  issuer: 'did:svc:ChAQTHAtVkWAprLiZheu8YPT12L61qnbQD5n7Qt6wLQS',
  /** A DID that takes part in nothing yet. */
  newcomer: 'did:svc:AdBVifXQhcaQ2VUWXaqgzBheoTphVjmrznGRMS53LFo7',
  schema: 'https://api.example.org/schema-documents/Degree-V1-1795459200000.json',
  trustRegistry: '0x872491a30d60d598962de6e7b834ab76b2aa65fbab102c6ebaaae6acdc238822',
  token: 'eyJhbGciOiJFZERTQSJ9.the-token-of-the-link',
  instant: '2026-01-31T12:00:00Z',
  /** The number of a team, or a person. */
  number: 4711,
} as const

export const EXAMPLE_ACTION = {
  action: 'Did.set_service',
  params: {
    did: EXAMPLE.convener,
    service: { id: 'files', serviceType: 'Files', endpoints: ['https://files.example.org'] },
  },
}

export const EXAMPLE_TEXTS = {
  name: 'University degrees',
  description: 'The institutions that may award degrees, and those that may verify them',
  logoUrl: 'https://example.org/logo.png',
  ecosystemUrl: 'https://example.org',
  governanceFramework: '# Rules\n\nUniversities that the ministry recognises may award degrees.',
  governanceFrameworkVersion: '1.0',
}

export const EXAMPLE_CREDENTIAL = {
  '@context': ['https://www.w3.org/2018/credentials/v1', 'https://w3id.org/security/suites/ed25519-2020/v1'],
  id: 'urn:uuid:3f2504e0-4f89-41d3-9a0c-0305e82c3301',
  type: ['VerifiableCredential', 'UniversityDegreeCredential'],
  credentialSubject: { id: 'did:example:graduate', degree: 'M.Sc. Physics' },
  issuer: EXAMPLE.issuer,
  issuanceDate: '2026-01-31T12:00:00Z',
  proof: {
    type: 'Ed25519Signature2020',
    created: '2026-01-31T12:00:00Z',
    verificationMethod: `${EXAMPLE.issuer}#keys-1`,
    proofPurpose: 'assertionMethod',
    proofValue: 'z4jHxBZM5jzK2ZoYR8yVRYbHbD3Nmbzz6hN1pJQm6rcGUa5mG3tQ2bPnYgY1bKkE',
  },
}

/** The answer of POST /dids/{did}/export. */
export const EXAMPLE_WALLET = {
  '@context': ['https://www.w3.org/2018/credentials/v1', 'https://w3id.org/wallet/v1'],
  id: 'did:key:z6LSexample#encrypted-wallet',
  type: ['VerifiableCredential', 'EncryptedWallet'],
  issuer: 'did:key:z6LSexample',
  issuanceDate: '2026-01-31T12:00:00Z',
  credentialSubject: {
    id: 'did:key:z6LSexample',
    encryptedWalletContents: {
      protected: 'eyJlbmMiOiJYQzIwUCJ9',
      recipients: [
        {
          encrypted_key: 'AAAA',
          header: {
            kid: 'did:key:z6LSexample#z6LSexample',
            alg: 'ECDH-ES+A256KW',
            epk: { kty: 'OKP', crv: 'X25519', x: 'AAAA' },
            apu: 'AAAA',
            apv: 'AAAA',
          },
        },
      ],
      iv: 'AAAA',
      ciphertext: 'AAAA',
      tag: 'AAAA',
    },
  },
}
