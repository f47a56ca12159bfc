import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

/** Debian's folder of PostgreSQL's versions, each with its server and its client tools. */
const VERSIONS = '/usr/lib/postgresql'

/** The programs of the newest PostgreSQL; undefined where there is no server. */
export const POSTGRES_BIN = (existsSync(VERSIONS) ? readdirSync(VERSIONS) : [])
  .sort((a, b) => Number(b) - Number(a))
  .map((version) => join(VERSIONS, version, 'bin'))
  .find((folder) => ['initdb', 'pg_dump'].every((name) => existsSync(join(folder, name))))

export const NGINX = ['/usr/sbin/nginx', '/usr/bin/nginx', '/usr/local/sbin/nginx'].find(existsSync)
export const REDIS = ['/usr/bin/redis-server', '/usr/local/bin/redis-server'].find(existsSync)
export const CADDY = ['/usr/bin/caddy', '/usr/local/bin/caddy'].find(existsSync)

/** npm test installs them where it may; elsewhere their tests are told as not run, but not where all must run. */
export function needsProgram(name: string, isThere: boolean): void {
  it.runIf(!isThere && process.env.CI)(`${name} of these tests is there`, () =>
    expect(isThere, `There is no ${name}: npm test installs it only as root on Debian`).toBe(true),
  )
}

/** Runs lines of a shell in a folder, and stops at the first that fails. Returns what they printed. */
export const typed = (lines: string, folder: string, env: Record<string, string> = {}): string =>
  execFileSync('bash', ['-euo', 'pipefail', '-c', lines], {
    cwd: folder,
    env: { ...process.env, ...env },
    encoding: 'utf8',
  })
