import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildApp } from '../../../app.js'
import { allServed } from '../../testing/all-served.js'
import {
  type ScratchDatabase,
  serviceDatabase,
  type TestTeam,
  testEnvironment,
  testTeam,
} from '../../testing/scratch-database.js'
import { inputClassOf } from '../input/input-class.js'
import type { Operation } from '../operation.js'
import { entityTag } from './entity-tag.js'

const answer = { name: 'as it is' }
const tag = entityTag(answer)

/** Every read, by its own route, each of which answers the same thing; the tagged ones answer with its tag. */
const reads = allServed
  .flatMap(({ operations }) => operations)
  .filter(({ method }) => method === 'GET')
  .map(
    ({ querystring, params, role, refusals, ...op }): Operation => ({
      ...op,
      response: { 200: Type.Any() },
      handler: async (ctx) => {
        if (op.tagged) ctx.reply.header('ETag', tag)
        return answer
      },
    }),
  )

let scratch: ScratchDatabase
let app: FastifyInstance
let team: TestTeam
beforeAll(async () => {
  scratch = await serviceDatabase()
  app = await buildApp(testEnvironment(scratch), [{ operations: reads }])
  team = await testTeam(scratch.db)
})
afterAll(async () => {
  await app.close()
  await scratch.close()
})

type Method = 'GET' | 'HEAD'

async function read({ url }: Operation, name: string, value: string, method: Method = 'GET') {
  const headers = { 'svc-api-token': team.apiKey, [name]: value }
  const {
    statusCode,
    body,
    headers: answered,
  } = await app.inject({ method, url: url.replaceAll(/:\w+/g, 'x'), headers })
  return { status: statusCode, body, tag: answered.etag }
}

const named = (ops: Operation[]) => ops.map((op) => [op.operationId, op] as const)

test.each(named(reads.filter(({ tagged }) => tagged)))(
  '%s keeps what the conditions of a reader say',
  async (_, op) => {
    for (const method of ['GET', 'HEAD'] as const) {
      for (const known of [tag, '*', `"other", W/${tag}`])
        expect(await read(op, 'if-none-match', known, method)).toEqual({ status: 304, body: '', tag })
      for (const held of [tag, '*', `"other",${tag}`])
        expect((await read(op, 'if-match', held, method)).status).toBe(200)
      expect((await read(op, 'if-none-match', '"other"', method)).status).toBe(200)
      for (const other of ['"other"', `W/${tag}`]) expect((await read(op, 'if-match', other, method)).status).toBe(412)
      for (const name of ['if-match', 'if-none-match'])
        for (const malformed of ['"nope", *', tag.slice(1, -1), ''])
          expect((await read(op, name, malformed, method)).status, `${name}: ${malformed}`).toBe(400)
    }
  },
)

test.each(named(reads.filter(({ tagged }) => !tagged)))(
  '%s does not look as if it had checked what it cannot',
  async (_, op) => {
    const cannot = inputClassOf(op) === 'standard' ? 200 : 400
    expect((await read(op, 'if-match', '"any"')).status).toBe(cannot)
    expect((await read(op, 'if-unmodified-since', 'Sat, 01 Jan 2000 00:00:00 GMT')).status).toBe(cannot)
    expect((await read(op, 'if-none-match', '"any"')).status).toBe(200)
    expect((await read(op, 'if-modified-since', 'Sat, 01 Jan 2000 00:00:00 GMT')).status).toBe(200)
  },
)
