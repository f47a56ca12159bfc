import { EventEmitter, once } from 'node:events'
import { connect } from 'node:net'
import { Type } from 'typebox'
import { expect, test, vi } from 'vitest'
import { appWithTeam } from '../testing/for-all-tests.js'
import { operation } from './operation.js'

const steps = new EventEmitter()

const slow = operation({
  method: 'GET',
  url: '/slow',
  operationId: 'getSlow',
  tags: ['notes'],
  summary: 'Waits',
  auth: 'public',
  tenancy: 'public',
  response: { 200: Type.Any() },
  handler: async () => {
    const go = once(steps, 'go')
    steps.emit('asked')
    await go
    return { done: true }
  },
})

const world = appWithTeam([{ operations: [slow] }])

test('a request that arrives while the service ends is refused like any other, and the one before is answered', async () => {
  const { app } = world()
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const socket = connect(Number(port), '127.0.0.1')
  let said = ''
  socket.on('data', (bytes) => {
    said += String(bytes)
  })
  const request = 'GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n'
  const asked = once(steps, 'asked')
  socket.write(request)
  await asked
  const closed = app.close()
  await vi.waitFor(() => expect(app.server.listening).toBe(false))
  const second = once(app.server, 'request')
  socket.write(request)
  await second
  steps.emit('go')
  await once(socket, 'close')
  await closed
  expect(said).toMatch(/^HTTP\/1\.1 200 /)
  const [, refusal = ''] = said.split('HTTP/1.1 503 ')
  expect(refusal).toMatch(/retry-after: 1\r\n/i)
  expect(refusal).toContain('"type":"unavailable"')
})
