import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

interface Service {
  image: string
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
const compose: { services: Record<string, Service>; volumes: Record<string, unknown> } = parse(text, { merge: true })
const services = Object.entries(compose.services)
const own = services.filter(([, service]) => service.build !== undefined)

describe('docker-compose.yml', () => {
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

  it.each(services)('%s mounts declared volumes', (_name, service) => {
    for (const volume of service.volumes ?? []) expect(Object.keys(compose.volumes)).toContain(volume.split(':')[0])
  })

  it.each(services)('%s carries no secret in the file', (_name, service) => {
    for (const [name, value] of Object.entries(service.environment ?? {})) {
      if (/PASSWORD/.test(name)) expect(value).toMatch(/^\$\{[A-Z_]+:\?/)
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
