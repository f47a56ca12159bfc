import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../scripts/start/processes/ports.js'
import { typed } from './programs.js'

export interface OwnPostgres {
  /** The URL of a database that does not exist yet, as a role that may make it. */
  urlOf(database: string): string
  /** The same without its password. */
  addressOf(database: string): string
  password: string
  stop(): Promise<void>
}

/** Starts a server of PostgreSQL as Debian has it, with the client tools that fit it. */
export async function ownPostgres(bin: string): Promise<OwnPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'accredit-postgres-'))
  const port = await freePort()
  const password = randomBytes(8).toString('hex')
  await writeFile(join(folder, 'password'), password, { mode: 0o644 })
  // The server refuses to run as root; Debian's package made a user for it.
  const asRoot = process.getuid?.() === 0
  if (asRoot) await chown(folder, idOf('-u'), idOf('-g'))
  const run = (lines: string) => {
    const command = asRoot ? `runuser -u postgres -- bash -c '${lines}'` : lines
    typed(command, '/', { LC_ALL: 'C.UTF-8' })
  }
  run(
    `${bin}/initdb -D ${folder}/data -U accredit -A scram-sha-256 --pwfile ${folder}/password -E UTF8 --no-sync > /dev/null`,
  )
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off`
  run(`${bin}/pg_ctl -D ${folder}/data -l ${folder}/log -o "${options}" -w start > /dev/null`)
  return {
    urlOf: (database) => `postgres://accredit:${password}@127.0.0.1:${port}/${database}`,
    addressOf: (database) => `postgres://accredit@127.0.0.1:${port}/${database}`,
    password,
    stop: async () => {
      run(`${bin}/pg_ctl -D ${folder}/data -m immediate stop > /dev/null`)
      await rm(folder, { recursive: true })
    },
  }
}

const idOf = (kind: '-u' | '-g'): number => Number(execFileSync('id', [kind, 'postgres'], { encoding: 'utf8' }))
