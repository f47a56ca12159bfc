import type { Client } from '../tour/client.js'

/** Issues degrees as an issuer of its own, and verifies them. */
export async function degreeIssuer(client: Client) {
  const { did, id } = await client.call<{ did: string; id: string }>('POST', '/dids', {})
  await client.finished(id)
  return {
    issue:
      (revocable: boolean, format = 'jsonld') =>
      () =>
        client.call<object>('POST', '/credentials', {
          format,
          revocable,
          credential: {
            type: ['UniversityDegreeCredential'],
            issuer: did,
            subject: { id: 'did:example:graduate', degree: 'M.Sc. Physics', graduate: 'Łucja Öztürk', year: 2026 },
          },
        }),
    /** @throws when it is not verified */
    async verify(body: unknown): Promise<void> {
      const { verified } = await client.call<{ verified: boolean }>('POST', '/verify', body)
      if (!verified) throw new Error('a credential was not verified')
    },
  }
}
