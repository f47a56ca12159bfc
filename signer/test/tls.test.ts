import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasOpenSsl } from '../../api/src/platform/testing/certificate.js'
import { needsProgram } from '../../test/support/programs.js'
import { SignerUnavailable, signerClient } from '../src/client.js'
import { readConfig } from '../src/config.js'
import { launchSigner, openWorld, type RunningSigner, until, type World } from './support.js'

needsProgram('OpenSSL', hasOpenSsl)

const TOKEN = 'a token of more than thirty-two characters'

describe.runIf(hasOpenSsl)('the signer on another host', () => {
  let folder: string
  let world: World
  let signer: RunningSigner
  let url: string

  const path = (name: string) => join(folder, name)
  const pem = (name: string) => readFileSync(path(name), 'utf8')
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe', cwd: folder })
  const files = (name: string) => ({
    SIGNER_TLS_CERT_FILE: path(`${name}.pem`),
    SIGNER_TLS_KEY_FILE: path(`${name}.key`),
    SIGNER_TLS_CA_FILE: path('authority.pem'),
  })
  const shown = (name: string) => ({ cert: pem(`${name}.pem`), key: pem(`${name}.key`), ca: pem('authority.pem') })

  /** Makes an authority, or a certificate that one issued. */
  function certificate(name: string, issuer?: string): void {
    const by = issuer === undefined ? [] : ['-CA', `${issuer}.pem`, '-CAkey', `${issuer}.key`]
    const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1']
    const names = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1']
    const use = ['-addext', `basicConstraints=critical,CA:${issuer === undefined ? 'TRUE' : 'FALSE'}`]
    openssl('req', ...kind, ...names, ...use, ...by, '-keyout', `${name}.key`, '-out', `${name}.pem`)
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'accredit-tls-'))
    certificate('authority')
    certificate('stranger')
    certificate('signer', 'authority')
    certificate('api', 'authority')
    certificate('intruder', 'stranger')
    world = await openWorld()
    const door = { SIGNER_SOCKET: '', SIGNER_HOST: '0.0.0.0', SIGNER_PORT: '0', SIGNER_TOKEN: TOKEN }
    signer = launchSigner(world, { ...door, ...files('signer') })
    const readyLine = () => signer.lines.find((line) => line.startsWith('{"ready"'))
    await until(() => readyLine() !== undefined)
    const { socket } = JSON.parse(readyLine() ?? '{}')
    url = `https://127.0.0.1:${new URL(socket).port}`
  })
  afterAll(async () => {
    await signer?.kill('SIGTERM')
    await world?.close()
    rmSync(folder, { recursive: true })
  })

  test('serves who shows a certificate of its authority and knows the token', async () => {
    const client = signerClient({ url, token: TOKEN, tls: shown('api') })
    const [key] = await client.makeKeys('over tls', ['Ed25519'])
    expect((await client.sign([{ keyRef: key?.keyRef ?? '', bytes: Buffer.from('bytes') }]))[0]).toHaveLength(64)
    await client.close()
  })

  test.each([
    ['without a certificate', () => ({ cert: '', key: '', ca: pem('authority.pem') })],
    ['with one of another authority', () => ({ ...shown('intruder'), ca: pem('authority.pem') })],
    ['trusting another authority than the signer has', () => ({ ...shown('api'), ca: pem('stranger.pem') })],
  ])('does not speak with a caller %s', async (_name, tls) => {
    const client = signerClient({ url, token: TOKEN, tls: tls() })
    await expect(client.health()).rejects.toThrow(SignerUnavailable)
    await client.close()
  })

  test('refuses a caller with a certificate and another token', async () => {
    const client = signerClient({ url, token: 'another token of thirty-two characters', tls: shown('api') })
    await expect(client.health()).rejects.toThrow(/401|token/i)
    await client.close()
  })

  test('does not start in plain text there, or with a part of its files', () => {
    const door = { SIGNER_HOST: '0.0.0.0', SIGNER_PORT: '7000', SIGNER_TOKEN: TOKEN, LEDGER_URL: 'ws://ledger' }
    const least = { DATABASE_URL: 'postgres://x', MASTER_KEY_FILE: 'key', ...door }
    expect(() => readConfig(least)).toThrow('only with mutual TLS')
    expect(() => readConfig({ ...least, ...files('signer'), SIGNER_TLS_CA_FILE: '' })).toThrow('belong together')
    expect(() => readConfig({ ...least, ...files('signer'), SIGNER_TLS_KEY_FILE: path('none') })).toThrow(
      'cannot be read',
    )
  })
})
