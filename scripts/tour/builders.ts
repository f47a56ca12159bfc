import type { Client } from './client.js'

/** Builders each of which makes one thing of an ecosystem through the REST API, and answers when it is final. */
export function buildersOn(client: Client) {
  const did = async (): Promise<string> => {
    const made = await client.call<{ did: string; id: string }>('POST', '/dids', {})
    await client.finished(made.id)
    return made.did
  }
  const organisation = async (name: string, picture = logo): Promise<string> => {
    const made = await did()
    await client.call('POST', '/profiles', { did: made, name, description: `Profile of ${name}`, logo: picture })
    return made
  }
  const schema = async (name = 'University Degree'): Promise<string> => {
    const { id, data } = await client.call<{ id: string; data: { uri: string } }>('POST', '/schemas', {
      ...degreeSchema,
      name,
    })
    await client.finished(id)
    return data.uri
  }
  const registry = async (convener: string, name: string): Promise<string> => {
    const body = { convener, name, ...registryTexts }
    return (await client.settled<{ id: string }>('POST', '/trust-registries', body)).id
  }
  const accredit = async (
    registryId: string,
    member: string,
    issuerSchemas: string[],
    verifierSchemas: string[] = [],
  ) => {
    const invitation = { maxAge: 3600, issuerSchemas, verifierSchemas }
    const { link } = await client.call<{ link: string }>(
      'POST',
      `/trust-registries/${registryId}/participants`,
      invitation,
    )
    const acceptance = { token: link.split('?token=')[1], did: member, infoUrl: '' }
    return client.settled<{ id: string; did: string }>('POST', '/trust-registries/invitations/accept', acceptance)
  }
  const degree = (issuer: string, schemaUri: string, revocable = true) =>
    client.call<Degree>('POST', '/credentials', {
      revocable,
      credential: { type: ['UniversityDegreeCredential'], schema: schemaUri, issuer, subject: graduate },
    })
  return { did, organisation, schema, registry, accredit, degree }
}

export interface Degree {
  id: string
  credentialSubject: Record<string, unknown>
  credentialStatus: { statusListCredential: string; statusListIndex: string }
  proof: { created: string; verificationMethod: string }
}

export interface Verification {
  verified: boolean
  checks: { check: string; passed: boolean | null; reason?: string; block?: number }[]
}

const graduate = { id: 'did:example:graduate', degree: 'M.Sc. Physics', graduate: 'Łucja Öztürk', year: 2026 }

const registryTexts = {
  description: 'Who may award degrees',
  logoUrl: 'https://example.org/logo.png',
  ecosystemUrl: 'https://example.org',
  governanceFramework: '# Rules\nOnly accredited universities.',
  governanceFrameworkVersion: '1.0',
}

const degreeSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  description: 'An academic degree',
  type: 'object',
  properties: {
    id: { type: 'string' },
    degree: { type: 'string' },
    graduate: { type: 'string' },
    year: { type: 'integer', minimum: 1900 },
  },
  required: ['degree', 'graduate'],
  additionalProperties: false,
}

const logo =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
