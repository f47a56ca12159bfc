import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** npm test installs it where it may. */
export const hasOpenSsl = spawnSync('openssl', ['version'], { stdio: 'ignore' }).status === 0

/** A certificate that signs itself, with its key, in PEM. */
export interface Certificate {
  cert: string
  key: string
}

/** Makes a certificate for hosts (`DNS:example.org`, `IP:127.0.0.1`) that is good for a day. */
export function certificateFor(...hosts: string[]): Certificate {
  const folder = mkdtempSync(join(tmpdir(), 'accredit-certificate-'))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1']
  const names = ['-subj', '/CN=accredit-test', '-addext', `subjectAltName=${hosts.join(',')}`]
  try {
    execFileSync('openssl', ['req', ...kind, ...names, '-keyout', key, '-out', cert], { stdio: 'pipe' })
    return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
