import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { roomNames } from '../../scripts/start/database/roles.js'
import { freePort } from '../../scripts/start/processes/ports.js'
import { compose, type Elsewhere, environmentOf, healthCheckOf, programOf } from './compose.js'
import { CADDY, REDIS } from './programs.js'
import { root } from './repository-files.js'

/** A service of docker-compose.yml as a process of this machine. */
export interface ServiceProcess {
  command: string
  args: string[]
  env: Record<string, string>
  /** A program of ours: it says when it is ready, and these arguments of Node check its health, as compose does. */
  health?: string[]
}

/** The choices of an operator, in place of what docker-compose.yml does by itself. */
export interface Chosen {
  /** The settings, such as those of scripts/operate/network.env. */
  given: Readonly<Record<string, string>>
  /** The port of the full node that is beside the product, on a network of validators. */
  nodePort?: number
  /** The folder MASTER_KEY_FOLDER of the host, and the variables in the file MASTER_KEY_ENVIRONMENT. */
  masterKeyFolder?: string
  masterKeyEnvironment?: Readonly<Record<string, string>>
}

export interface ProductionPlace {
  folder: string
  databaseUrl: string
  chosen: Chosen | undefined
  ports: Record<'redis' | 'ledger' | 'https' | 'http' | 'admin' | 'first' | 'second', number>
}

export async function productionPlace(folder: string, databaseUrl: string, chosen?: Chosen): Promise<ProductionPlace> {
  const [redis, ledger, https, http, admin, first, second] = await Promise.all([
    freePort(),
    freePort(),
    freePort(),
    freePort(),
    freePort(),
    freePort(),
    freePort(),
  ])
  for (const name of ['secrets', 'signer', 'ledger', 'service']) await mkdir(join(folder, name), { mode: 0o700 })
  const secret = (name: string, text: string) => writeFile(join(folder, 'secrets', name), text, { mode: 0o600 })
  await secret('postgres-password', decodeURIComponent(new URL(databaseUrl).password))
  for (const room of roomNames) await secret(`${room}-database-password`, `secret/of @${room}`)
  await secret('ledger-token', LEDGER_TOKEN)
  await secret('signer-token', SIGNER_TOKEN)
  for (const name of MADE_EMPTY) await secret(name, '')
  return { folder, databaseUrl, chosen, ports: { redis, ledger, https, http, admin, first, second } }
}

/** The token by which our own processes get into the ledger. */
export const LEDGER_TOKEN = 'x'.repeat(40)
const SIGNER_TOKEN = 'y'.repeat(40)

const OF_THE_SIGNERS_HOST = ['signer-authority', 'signer-certificate', 'signer-key', 'caller-certificate', 'caller-key']
const MADE_EMPTY = ['smtp-url', 'master-key-pin', ...OF_THE_SIGNERS_HOST]

/** Each service has volumes of its own at /data. */
const VOLUMES: Record<string, string> = { signer: 'signer', 'signer-tls': 'signer', ledger: 'ledger' }

const readsMasterKeyEnvironment = (service: string): boolean =>
  compose.services[service]?.env_file?.some((file) => file.includes('MASTER_KEY_ENVIRONMENT')) ?? false

/** Returns the settings that docker-compose.yml gives a service, with the places of this machine. */
export function settingsOf(service: string, place: ProductionPlace): Record<string, string> {
  const { folder, databaseUrl, chosen, ports } = place
  const { host, pathname } = new URL(databaseUrl)
  const elsewhere: Elsewhere = {
    given: { PUBLIC_HOST: `localhost:${ports.https}`, TRUSTED_PROXIES: 'loopback', ...chosen?.given },
    places: [
      ['@postgres:5432/accredit', `@${host}${pathname}`],
      ['redis://redis:6379', `redis://127.0.0.1:${ports.redis}`],
      ['ws://ledger:9944', `ws://127.0.0.1:${ports.ledger}`],
      ['ws://node:9944', `ws://127.0.0.1:${chosen?.nodePort}`],
      ['/run/secrets', join(folder, 'secrets')],
      ['/run/accredit', folder],
      ['/pkcs11', chosen?.masterKeyFolder ?? '/pkcs11'],
      ['/journal', join(folder, 'service')],
      ['/data/signer/', `${folder}/signer/`],
      ['/data/ledger/', `${folder}/ledger/`],
      ['/data', join(folder, VOLUMES[service] ?? 'service')],
    ],
  }
  return {
    ...(readsMasterKeyEnvironment(service) && chosen?.masterKeyEnvironment),
    ...environmentOf(service, elsewhere),
    PATH: process.env.PATH ?? '',
    HOME: folder,
    LOG_LEVEL: 'warn',
    // Containers have each a port of this number; processes of one machine would share it.
    ...Object.fromEntries(['SIGNER', 'INDEXER', 'WORKER'].map((name) => [`${name}_METRICS_PORT`, ''])),
  }
}

/** Returns a service of ours: a program, with the settings of the file and those that a place has otherwise. */
export function programService(
  service: string,
  place: ProductionPlace,
  more: Record<string, string> = {},
): ServiceProcess {
  const env = { ...settingsOf(service, place), ...more }
  const health = healthCheckOf(service)
  return { command: process.execPath, args: programOf(service), env, health }
}

/** Returns all services but the database, in the order in which they are started. */
export function productionServices(place: ProductionPlace): Record<string, ServiceProcess> {
  const { ports } = place
  const node = (service: string, more?: Record<string, string>) => programService(service, place, more)
  const replica = (port: number) => node('api', { API_HOST: '127.0.0.1', API_PORT: String(port) })
  return {
    redis: redis(place),
    proxy: proxy(place),
    ledger: node('ledger', { LEDGER_HOST: '127.0.0.1', LEDGER_PORT: String(ports.ledger) }),
    signer: node('signer'),
    indexer: node('indexer'),
    worker: node('worker'),
    'api-1': replica(ports.first),
    'api-2': replica(ports.second),
  }
}

function redis({ folder, ports }: ProductionPlace): ServiceProcess {
  const options = {
    '--port': String(ports.redis),
    '--bind': '127.0.0.1',
    '--dir': folder,
    '--appendonly': 'yes',
    '--maxmemory-policy': 'noeviction',
  }
  return { command: REDIS ?? '', args: Object.entries(options).flat(), env: {} }
}

function proxy({ folder, ports }: ProductionPlace): ServiceProcess {
  return {
    command: CADDY ?? '',
    args: ['run', '--adapter', 'caddyfile', '--config', join(root, 'scripts/operate/Caddyfile')],
    env: {
      HOME: folder,
      XDG_DATA_HOME: folder,
      XDG_CONFIG_HOME: folder,
      PUBLIC_HOST: `localhost:${ports.https}`,
      TLS_ISSUER: 'internal',
      REPLICAS: 'address',
      API_ADDRESSES: `127.0.0.1:${ports.first} 127.0.0.1:${ports.second}`,
      HTTPS_PORT: String(ports.https),
      HTTP_PORT: String(ports.http),
      ADMIN_PORT: String(ports.admin),
    },
  }
}
