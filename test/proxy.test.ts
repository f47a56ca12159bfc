import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { IncomingHttpHeaders } from 'node:http'
import { request as plainRequest } from 'node:http'
import { request as secureRequest } from 'node:https'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { certificateFor } from '../api/src/platform/testing/certificate.js'
import { type ApiReplica, apiReplica } from '../scripts/start/processes/api-replica.js'
import { freePort } from '../scripts/start/processes/ports.js'
import { NGINX, needsProgram } from './support/programs.js'
import { configurationOf } from './support/readme.js'
import { root } from './support/repository-files.js'
import { apiKey, databaseUrl, stateDir } from './support/shared-stack.js'

interface Answer {
  status: number | undefined
  headers: IncomingHttpHeaders
  text: string
}

/** An address of documentation, which is nobody's. */
const CLIENT = '203.0.113.9'

needsProgram('nginx', NGINX !== undefined)

describe.runIf(NGINX)('behind nginx, as README configures it', () => {
  let folder: string
  let replica: ApiReplica
  let nginx: ChildProcess
  let certificate: ReturnType<typeof certificateFor>
  let [secureUrl, plainUrl] = ['', '']

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'accredit-nginx-'))
    certificate = certificateFor('DNS:localhost')
    const [securePort, plainPort] = [await freePort(), await freePort()]
    secureUrl = `https://localhost:${securePort}`
    plainUrl = `http://localhost:${plainPort}`
    replica = await apiReplica(
      { projectRoot: root, stateDir, databaseUrl },
      { PUBLIC_URL: secureUrl, TRUSTED_PROXIES: '127.0.0.1' },
    )
    const location = configurationOf('TLS')
    expect(location).toContain('proxy_pass http://127.0.0.1:3300;')
    const here = location.replace('http://127.0.0.1:3300', replica.url)
    await writeFile(join(folder, 'cert.pem'), certificate.cert)
    await writeFile(join(folder, 'key.pem'), certificate.key, { mode: 0o600 })
    await writeFile(
      join(folder, 'nginx.conf'),
      `daemon off; pid ${folder}/pid; worker_processes 1;
${process.getuid?.() === 0 ? `user ${userInfo().username};` : ''}
events {}
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(' ')}
  server { listen 127.0.0.1:${securePort} ssl; ssl_certificate ${folder}/cert.pem; ssl_certificate_key ${folder}/key.pem; ${here} }
  server { listen 127.0.0.1:${plainPort}; ${here} }
}`,
    )
    nginx = spawn(NGINX ?? '', ['-e', 'stderr', '-c', join(folder, 'nginx.conf')], { stdio: 'inherit' })
    await vi.waitFor(() => ask(`${secureUrl}/health`), { timeout: 60_000, interval: 100 })
  })
  afterAll(async () => {
    const ended = once(nginx, 'exit')
    nginx.kill('SIGTERM')
    await ended
    await replica.stop()
    await rm(folder, { recursive: true })
  })

  async function ask(url: string, headers: Record<string, string> = {}, body?: string): Promise<Answer> {
    const request = url.startsWith('https:') ? secureRequest : plainRequest
    const method = body === undefined ? 'GET' : 'POST'
    const sent = request(url, { ca: certificate.cert, method, headers, agent: false, family: 4 }).end(body)
    const [answer] = await once(sent, 'response')
    let text = ''
    for await (const chunk of answer.setEncoding('utf8')) text += chunk
    return { status: answer.statusCode, headers: answer.headers, text }
  }
  const asTeam = { 'svc-api-token': apiKey, 'content-type': 'application/json' }

  it('a request over TLS is answered, and links carry the address in front', async () => {
    const made = await ask(`${secureUrl}/schemas`, asTeam, JSON.stringify({ title: 'Degree', properties: { a: {} } }))
    const { uri } = JSON.parse(made.text).data
    expect([made.status, new URL(uri).origin]).toEqual([200, secureUrl])
    const document = await ask(uri, { 'x-forwarded-for': CLIENT })
    expect([document.status, JSON.parse(document.text)]).toMatchObject([200, { $id: uri, title: 'Degree' }])
  })

  it('a request that reached it in plain text is refused, unless it comes from this machine', async () => {
    const refused = await ask(`${plainUrl}/health`, { 'x-forwarded-for': CLIENT })
    expect([refused.status, JSON.parse(refused.text)]).toEqual([
      400,
      { status: 400, type: 'invalid_request', message: 'Use HTTPS' },
    ])
    expect((await ask(`${secureUrl}/health`, { 'x-forwarded-for': CLIENT })).status).toBe(200)
    expect((await ask(`${plainUrl}/health`)).status).toBe(200)
  })

  it('the client is the one that the proxy forwards: it may not read what is for this machine', async () => {
    expect((await ask(`${secureUrl}/metrics`)).status).toBe(200)
    expect((await ask(`${secureUrl}/metrics`, { 'x-forwarded-for': CLIENT })).status).not.toBe(200)
  })

  it('a large body gets to the service, which refuses it in its own words', async () => {
    const { status, text } = await ask(`${secureUrl}/verify`, asTeam, JSON.stringify({ data: 'x'.repeat(3_000_000) }))
    expect([status, JSON.parse(text).type]).toEqual([413, 'payload_too_large'])
  })
})
