import { serverAudits } from 'graphql-http'
import { describe, expect, test } from 'vitest'
import { graphWorld } from './graph.testing.js'
import { RESPONSE_TYPE } from './refusals.js'

const { opened, post } = graphWorld()

const address = async () => {
  const { server } = opened().app
  if (!server.listening) await opened().app.listen({ port: 0, host: '127.0.0.1' })
  const at = server.address()
  return `http://127.0.0.1:${typeof at === 'object' && at !== null ? at.port : 0}/graphql`
}

/** Queries are only posted here: an address with a query in it would be kept in logs and histories. */
const BY_ADDRESS = ['5A70', 'D6D5', '6A70']

describe('the audits of the GraphQL over HTTP specification', () => {
  const audits = serverAudits({ url: address }).filter(({ id }) => !BY_ADDRESS.includes(id))
  test.each(audits.map((audit) => [audit.name, audit] as const))('%s', async (_name, { fn }) => {
    const result = await fn()
    expect(result.status, 'reason' in result ? result.reason : '').toBe('ok')
  })
})

describe('a bad request is told in the form of GraphQL, without data', () => {
  const inject = (request: object) => opened().app.inject({ url: '/graphql', method: 'POST', ...request })
  const json = { 'content-type': 'application/json' }

  test.each([
    ['half of a body', 400, { payload: '{"query":', headers: json }],
    ['an array', 400, { payload: '[]', headers: json }],
    ['a body without a query', 400, { payload: '{}', headers: json }],
    ['a query that is a number', 400, { payload: '{"query":5}', headers: json }],
    ['variables that are text', 400, { payload: '{"query":"{ __typename }","variables":"x"}', headers: json }],
    ['another media type', 415, { payload: '{"query":"{ __typename }"}', headers: { 'content-type': 'text/plain' } }],
    ['too much', 413, { payload: JSON.stringify({ query: 'x'.repeat(70_000) }), headers: json }],
    ['another method', 405, { method: 'PUT', payload: '{}', headers: json }],
    ['another path below it', 404, { url: '/graphql/x', payload: '{}', headers: json }],
    ['a condition', 400, { payload: '{"query":"{ __typename }"}', headers: { ...json, 'if-match': '"1"' } }],
  ])('%s', async (_what, status, request) => {
    for (const accept of [RESPONSE_TYPE, 'application/json', '*/*']) {
      const answer = await inject({ ...request, headers: { ...request.headers, accept } })
      expect(answer.statusCode, answer.body).toBe(status)
      expect(answer.headers['content-type']).toContain(accept === '*/*' ? 'application/json' : accept)
      expect(answer.json()).toEqual({
        errors: [{ message: expect.any(String), extensions: { status, type: expect.any(String) } }],
      })
    }
  })
})

test('a field that fails leaves the others as they are', async () => {
  const query = `{
    bad: registries(first: 0) { nodes { id } }
    good: registries(first: 1) { nodes { worse: participants(first: 0) { nodes { suspended } } id } }
  }`
  const { data, errors } = (await post({ query }, RESPONSE_TYPE)).json()
  expect(data).toEqual({ bad: null, good: { nodes: [{ worse: null, id: expect.any(String) }] } })
  expect(errors.map(({ path, extensions }: { path: unknown; extensions: unknown }) => [path, extensions])).toEqual([
    [['bad'], { status: 400, type: 'invalid_request' }],
    [['good', 'nodes', 0, 'worse'], { status: 400, type: 'invalid_request' }],
  ])
})
