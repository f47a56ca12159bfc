import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { secretsFrom } from './secret-files.js'

const folder = mkdtempSync(join(tmpdir(), 'accredit-secrets-'))
afterAll(() => rmSync(folder, { recursive: true }))

function fileOf(text: string): string {
  const file = join(folder, String(Math.random()))
  writeFileSync(file, text, { mode: 0o600 })
  return file
}

test('a secret is read from the file that its setting names, without the end of its line', () => {
  const environment = { PGPASSWORD_FILE: fileOf(' p/@:x?#% \n'), SMTP_URL_FILE: fileOf('smtps://mail'), OTHER: 'stays' }
  expect(secretsFrom(environment)).toBe(environment)
  expect(environment).toEqual({ PGPASSWORD: ' p/@:x?#% ', SMTP_URL: 'smtps://mail', OTHER: 'stays' })
})

test('settings that are files by themselves stay paths', () => {
  const environment = { MASTER_KEY_FILE: '/data/master.key', SERVICE_KEY_FILE: '/data/service.key' }
  expect(secretsFrom({ ...environment })).toEqual(environment)
})

test('a file that is missing or empty, or a secret that is set twice, is refused by the name of its setting', () => {
  const missing = join(folder, 'none')
  expect(() => secretsFrom({ SIGNER_TOKEN_FILE: missing })).toThrow(
    `SIGNER_TOKEN_FILE (${missing}) cannot be read: ENOENT`,
  )
  expect(() => secretsFrom({ SIGNER_TOKEN_FILE: fileOf('\n') })).toThrow('is empty')
  const twice = { SIGNER_TOKEN: 'inline-pin', SIGNER_TOKEN_FILE: fileOf('pin-in-file') }
  expect(() => secretsFrom(twice)).toThrow('SIGNER_TOKEN and SIGNER_TOKEN_FILE are both set')
  expect(() => secretsFrom(twice)).not.toThrow(/inline-pin|pin-in-file/)
})
