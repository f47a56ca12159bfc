import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readConfig } from '../signer/src/config.js'
import { compose, composeText, type Service, services, unlessSet } from '../test/support/compose.js'
import { root } from '../test/support/repository-files.js'
import { settingsIn } from '../test/support/settings-file.js'

const leadsOut = (network: string): boolean => compose.networks[network]?.internal !== true

/** The settings of a service that an operator may give the address of another machine. */
const outsideOf = ({ environment = {} }: Service): string[] =>
  Object.entries(environment)
    .filter(([name, value]) => /_(?:URLS?|ENDPOINT)(?:_FILE)?$/.test(name) && /\$\{|^\/run\/secrets\//.test(value))
    .map(([name]) => name)

const published = services.filter(([, { ports = [] }]) => ports.length > 0)

describe('the networks of docker-compose.yml', () => {
  const naming = services.filter(([, service]) => outsideOf(service).length > 0)

  it('lead outside from each service that may be told an address there', () => {
    expect(Object.fromEntries(naming.map(([name, service]) => [name, outsideOf(service)]))).toMatchObject({
      prepare: expect.arrayContaining(['PUBLIC_URL', 'SMTP_URL_FILE', 'LEDGER_URLS']),
      signer: ['LEDGER_URLS', 'OTEL_EXPORTER_OTLP_ENDPOINT'],
      'signer-tls': ['LEDGER_URLS', 'OTEL_EXPORTER_OTLP_ENDPOINT'],
      indexer: ['LEDGER_URLS', 'OTEL_EXPORTER_OTLP_ENDPOINT'],
      api: expect.arrayContaining(['SIGNER_URL', 'SMTP_URL_FILE', 'OTEL_EXPORTER_OTLP_ENDPOINT']),
      worker: expect.arrayContaining(['SIGNER_URL', 'SMTP_URL_FILE', 'OTEL_EXPORTER_OTLP_ENDPOINT']),
    })
    for (const [name, { networks = [] }] of naming) expect([name, networks.some(leadsOut)]).toEqual([name, true])
  })

  it('lead outside from nobody else but those that publish a port', () => {
    const others = services.filter((service) => !naming.includes(service) && !published.includes(service))
    const reaching = others.filter(([, { networks = [] }]) => networks.some(leadsOut))
    expect(others.map(([name]) => name)).toEqual(expect.arrayContaining(['postgres', 'redis', 'node']))
    expect(reaching).toEqual([])
    for (const [name] of others.filter(([, { networks }]) => networks === undefined))
      expect(compose.services[name]?.network_mode).toBe('none')
  })

  it('let nothing in from outside but the proxy, the ledger for readers, and a signer on a host of its own', () => {
    expect(published.map(([name]) => name)).toEqual(['proxy', 'ledger', 'signer-tls'])
    expect(compose.services.ledger?.environment).toMatchObject({ LEDGER_READ_ONLY: '1' })
    expect(compose.services['signer-tls']?.profiles).toEqual(['signer'])
    for (const name of ['postgres', 'redis']) expect(compose.services[name]?.networks).toEqual(['back'])
    expect(compose.networks.back).toEqual({ internal: true })
  })

  it('are those that the file declares', () => {
    const used = new Set(services.flatMap(([, { networks = [] }]) => networks))
    expect([...used].sort()).toEqual(Object.keys(compose.networks).sort())
  })
})

describe('the signer of docker-compose.yml', () => {
  const beside = compose.services.signer ?? { image: '' }
  const elsewhere = compose.services['signer-tls'] ?? { image: '' }

  it('listens at a socket beside the product, and on a host of its own at the published port alone', () => {
    expect(beside.environment).toMatchObject({ SIGNER_SOCKET: compose.services.api?.environment?.SIGNER_SOCKET })
    const { SIGNER_SOCKET, SIGNER_HOST, SIGNER_PORT } = elsewhere.environment ?? {}
    expect([SIGNER_SOCKET, SIGNER_HOST]).toEqual(['', '0.0.0.0'])
    expect(elsewhere.ports).toEqual([`${unlessSet('SIGNER_PUBLISH', String(SIGNER_PORT))}:${SIGNER_PORT}`])
  })

  it('differs there in its door alone', () => {
    const withoutDoor = ({ environment = {} }: Service) =>
      Object.fromEntries(Object.entries(environment).filter(([name]) => !/^SIGNER_(?!CAP|METRICS)/.test(name)))
    expect(withoutDoor(elsewhere)).toEqual(withoutDoor(beside))
    const { environment: _, secrets, ports, profiles, deploy, ...rest } = elsewhere
    expect(beside).toMatchObject(rest)
    expect(secrets).toEqual(expect.arrayContaining(beside.secrets ?? []))
    expect(deploy).toEqual({ replicas: 1 })
  })

  it('is not there beside a product that is told where it is, which waits for no signer then', async () => {
    const settings = await settingsIn('scripts/operate/signer-elsewhere.env')
    expect(Object.keys(settings)).toEqual(['SIGNER_URL', 'SIGNER_REPLICAS'])
    expect(settings.SIGNER_REPLICAS).toBe('0')
    expect(settings.SIGNER_URL).toMatch(/^https:.*:9465$/)
    expect(beside.deploy?.replicas).toBe(unlessSet('SIGNER_REPLICAS', '1'))
    for (const name of ['api', 'worker']) {
      expect(compose.services[name]?.environment?.SIGNER_URL).toBe(unlessSet('SIGNER_URL', ''))
      expect(compose.services[name]?.depends_on?.signer).toEqual({ condition: 'service_healthy', required: false })
    }
  })

  it('finds the library of a PKCS#11 token in a folder that is mounted where its master key is made, too', () => {
    for (const name of ['signer', 'prepare']) {
      const { environment = {}, env_file, volumes } = compose.services[name] ?? {}
      expect(env_file).toEqual([unlessSet('MASTER_KEY_ENVIRONMENT', '/dev/null')])
      expect(volumes).toContain(`${unlessSet('MASTER_KEY_FOLDER', 'pkcs11')}:/pkcs11:ro`)
      const { MASTER_KEY_MODULE, MASTER_KEY_TOKEN, MASTER_KEY_PIN_FILE } = environment
      expect([MASTER_KEY_MODULE, MASTER_KEY_TOKEN]).toEqual([
        unlessSet('MASTER_KEY_MODULE', ''),
        unlessSet('MASTER_KEY_TOKEN', ''),
      ])
      expect(MASTER_KEY_PIN_FILE).toBe('/run/secrets/master-key-pin')
    }
    const read = (set: Record<string, string>) =>
      readConfig({
        DATABASE_URL: 'postgres://x/y',
        LEDGER_URL: 'ws://x',
        MASTER_KEY_FILE: 'x',
        SIGNER_SOCKET: 'x',
        ...set,
      })
    const unused = { MASTER_KEY_MODULE: '', MASTER_KEY_TOKEN: '', MASTER_KEY_PIN: '' }
    expect(read(unused).masterKeyToken).toBeUndefined()
  })
})

describe('the head of docker-compose.yml', () => {
  it('tells every setting that the file takes, and the files that it names are there', () => {
    const head = composeText.slice(0, composeText.indexOf('\nname:'))
    const taken = [...composeText.matchAll(/\$\{(\w+)/g)].map(([, name = '']) => name)
    expect([...new Set(taken)].filter((name) => !new RegExp(`\\b${name}\\b`).test(head))).toEqual([])
    const files = head.match(/scripts\/operate\/[\w.-]*\w/g) ?? []
    expect(files.length).toBeGreaterThan(3)
    for (const file of new Set(files)) expect(readFileSync(join(root, file), 'utf8')).not.toBe('')
  })
})
