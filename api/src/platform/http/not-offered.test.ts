import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildApp } from '../../app.js'
import { credentials } from '../../credentials/operations.js'
import { type ScratchDatabase, serviceDatabase, testEnvironment } from '../testing/scratch-database.js'

let scratch: ScratchDatabase
let app: FastifyInstance
beforeAll(async () => {
  scratch = await serviceDatabase()
  app = await buildApp(testEnvironment(scratch), [credentials])
})
afterAll(async () => {
  await app.close()
  await scratch.close()
})

test.each([['/credentials/request-claims', 'Requests for claims are not offered yet']])(
  '%s is no id, and is not offered yet',
  async (url, message) => {
    expect((await app.inject({ url })).json()).toEqual({ status: 404, type: 'not_found', message })
  },
)
