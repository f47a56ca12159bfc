import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { filled, nodes, own } from '../test/support/compose.js'
import { filesBelow, root } from '../test/support/repository-files.js'

/** Finds what a source starts: the first word in the call of one of Node's functions for it. */
const STARTS = /\b(?:execFile|execFileSync|spawn|spawnSync|fork)\(\s*([\w.]+|'[^']+')/g

/** The packages of Debian that bring programs. */
const PACKAGES: Readonly<Record<string, string>> = { 'pkcs11-tool': 'opensc' }

describe('Dockerfile', () => {
  const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8')

  it('copies only what exists', () => {
    const sources = [...dockerfile.matchAll(/^COPY (?!--from)(.+)$/gm)].flatMap(([, line = '']) =>
      line.split(' ').slice(0, -1),
    )
    expect(sources.length).toBeGreaterThan(5)
    for (const source of sources) expect(existsSync(join(root, source))).toBe(true)
  })

  it('has the stages that services are built from, of images with a version, and ends with the service', () => {
    const stages = [...dockerfile.matchAll(/^FROM (\S+) AS (\S+)$/gm)].map(([, image = '', name = '']) => ({
      image,
      name,
    }))
    expect(stages.length).toBe(dockerfile.match(/^FROM /gm)?.length)
    for (const { image } of stages) expect(image).toMatch(/^(?:node:22|rust:\d+\.\d+\.\d+|debian:bookworm)-/)
    for (const [, { build }] of [...own, ...nodes]) expect(stages.map(({ name }) => name)).toContain(build?.target)
    expect(stages.at(-1)?.name).toBe('service')
  })

  it('has the program of a node with its SHA-256 beside it, for a user with the number of the one who makes its keys', () => {
    const [, stage = ''] = /AS node$([\s\S]*?)^FROM /m.exec(dockerfile) ?? []
    expect(dockerfile).toMatch(/sha256sum accredit-node > accredit-node\.sha256/)
    expect(stage).toMatch(/useradd --uid 1000 .* accredit && install -d -o accredit -g accredit -m 700 \/data$/m)
    expect(stage).toMatch(/^COPY --from=node-build \/made \/usr\/local\/bin$/m)
    expect(stage).toMatch(/^USER accredit$/m)
  })

  it('makes every folder that a volume is mounted on, for the user that runs', () => {
    const made =
      /mkdir -p ([^&]+) && chown -R node:node/.exec(dockerfile.replaceAll(/\\\n\s*/g, ''))?.[1]?.split(' ') ?? []
    const mounted = own.flatMap(([, { volumes = [] }]) =>
      volumes.map((volume) => filled(volume, {}).split(':')[1] ?? ''),
    )
    for (const path of mounted)
      expect(made.some((folder) => folder === path || folder.startsWith(`${path}/`))).toBe(true)
  })

  it('installs each program that a process of ours runs and that Node does not bring', () => {
    const [, stage = ''] = /AS service$([\s\S]*)/m.exec(dockerfile) ?? []
    const installed = /apt-get install -y --no-install-recommends ([^&]+) &&/.exec(stage)?.[1]?.trim().split(' ') ?? []
    const run = filesBelow('')
      .filter((file) => /^(?:api|signer|indexer|chain\/(?:process|client|embedded))\/src\/.*\.ts$/.test(file))
      .filter((file) => !/test/.test(file))
      .map((file) => readFileSync(join(root, file), 'utf8'))
      .filter((source) => source.includes("'node:child_process'"))
      .flatMap((source) => [...source.matchAll(STARTS)].map(([, program = '']) => program))
    const wanted = [...new Set(run)].filter((program) => program !== 'process.execPath')
    expect(wanted).toEqual(["'pkcs11-tool'"])
    expect(installed).toEqual(wanted.map((program) => PACKAGES[program.replaceAll("'", '')]))
  })

  it('installs before it copies sources, from the registry that the settings name, and does not run as root', () => {
    expect(dockerfile.indexOf('npm install')).toBeLessThan(dockerfile.indexOf('COPY api api'))
    expect(dockerfile).toMatch(/^COPY package\.json package-lock\.json \.npmrc [\s\S]*^RUN npm install/m)
    expect(dockerfile).toMatch(/^USER node$/m)
  })
})
