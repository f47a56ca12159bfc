import { expect, test } from 'vitest'
import { builders } from './support/ecosystem.js'
import { apiKey, apiUrl } from './support/shared-stack.js'

const make = builders(apiUrl, apiKey)

const get = (path: string, accept: string) =>
  fetch(`${apiUrl}${path}`, { headers: { accept, 'SVC-API-TOKEN': apiKey } })

/** A list as JSON, as NDJSON and as CSV; the CSV as rows of cells. */
async function everyForm(path: string) {
  const asked = async (accept: string) => {
    const answer = await get(path, accept)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, `${accept}; charset=utf-8`])
    return answer.text()
  }
  const lines = (await asked('application/x-ndjson')).split('\n').filter(Boolean)
  const json = JSON.parse(await asked('application/json'))
  return {
    json: Array.isArray(json) ? json : json.list,
    ndjson: lines.map((line) => JSON.parse(line)),
    csv: (await asked('text/csv')).split('\r\n').slice(0, -1),
  }
}

test('participants, credentials and rights are told whole as CSV and NDJSON, like their pages as JSON', async () => {
  // A spreadsheet would run this name.
  const [convener, university] = await Promise.all([
    make.organisation('Council of Universities'),
    make.organisation('=HYPERLINK("https://evil.example","Bilkent Üniversitesi")'),
  ])
  const schema = await make.schema()
  const registry = await make.registry(convener, 'Whole lists')
  await make.accredit(registry, university, [schema])
  await make.accredit(registry, convener, [], [schema])
  const subject = { id: 'did:example:graduate' }
  const credential = { issuer: university, subject, type: ['DegreeCredential'] }
  for (let one = 0; one < 2; one++) await make.client.call('POST', '/credentials', { credential })

  const participants = await everyForm(`/trust-registries/${registry}/participants`)
  expect(participants.json).toHaveLength(2)
  expect(participants.ndjson).toEqual(participants.json)
  const [header = '', ...rows] = participants.csv
  expect(header.split(',').slice(0, 3)).toEqual(['id', 'did', 'name'])
  expect(rows).toHaveLength(2)
  const [row] = rows.filter((line) => line.includes('HYPERLINK'))
  expect(row).toContain(`,"'=HYPERLINK(""https://evil.example"",""Bilkent Üniversitesi"")",`)

  const credentials = await everyForm(`/credentials?filter=${encodeURIComponent(university)}`)
  expect(credentials.ndjson).toEqual(credentials.json)
  expect(credentials.json).toHaveLength(2)
  expect(credentials.csv).toHaveLength(3)

  const rights = await everyForm(`/dids/${university}/rights`)
  expect(rights.ndjson).toEqual(rights.json)
  expect(rights.json).toHaveLength(1)
  expect(rights.csv[0]).toBe('registryId,schemaId,schemaUri,role,direct,via,suspended,effective,since,event')
  expect(rights.csv).toHaveLength(2)

  for (const [path, ...ofPages] of [
    [`/trust-registries/${registry}/participants`, 'offset=0', 'limit=5'],
    ['/credentials', 'offset=0', 'limit=64'],
    [`/dids/${university}/rights`, 'limit=64', 'cursor=x'],
  ] as const)
    for (const parameter of ofPages) {
      const answer = await get(`${path}?${parameter}`, 'text/csv')
      expect([path, answer.status]).toEqual([path, 400])
      const { message }: { message: string } = JSON.parse(await answer.text())
      expect(message).toMatch(/is for pages; as text\/csv everything is streamed/)
      if (parameter !== 'cursor=x') expect((await get(`${path}?${parameter}`, 'application/json')).status).toBe(200)
    }
  expect((await get('/trust-registries/unknown/participants', 'text/csv')).status).toBe(404)
})

test('the reference says which lists are told so', async () => {
  const { paths }: { paths: Record<string, { get?: { responses: Record<string, { content: object }> } }> } = JSON.parse(
    await (await fetch(`${apiUrl}/openapi.json`)).text(),
  )
  const streamed = Object.entries(paths)
    .filter(([, { get: read }]) => Object.keys(read?.responses[200]?.content ?? {}).includes('text/csv'))
    .map(([path]) => path)
  expect(streamed.sort()).toEqual([
    '/credentials',
    '/data/statements/{month}',
    '/dids/{did}/history',
    '/dids/{did}/rights',
    '/ledger/events',
    '/registries/{id}/history',
    '/teams/{id}/audit',
    '/trust-registries/{registryId}/history',
    '/trust-registries/{registryId}/participants',
  ])
})
