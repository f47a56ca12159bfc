import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { compose, composeText, own } from '../test/support/compose.js'
import { sectionOf } from '../test/support/readme.js'
import { filesBelow, root } from '../test/support/repository-files.js'

const textOf = (file: string): string => readFileSync(join(root, file), 'utf8')
const FILES = filesBelow('').filter((file) => /(?:^|\/)README\.md$|^docker-compose\.yml$/.test(file))

/** A line for a person's shell: `A=1 docker compose up -d api`. */
interface Line {
  settings: string[]
  command: string
  /** The services that it names. */
  services: string[]
  /** The program that runs in the container of the service, with its words. */
  program: string[]
}

/** The options of commands of Compose that take a word. */
const TAKING = ['-v', '-s', '-e', '--profile']
const IN_ONE = ['run', 'exec']
const COMMANDS = [...IN_ONE, 'up', 'logs', 'kill', 'build']

/** Reads what stands after `docker compose`, up to the end of the command. */
function lineOf(settings: string, words: string[]): Line {
  const plain: string[] = []
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    const isRun = IN_ONE.includes(plain[0] ?? '') && plain.length > 1
    if (isRun || !word.startsWith('-')) plain.push(word)
    else if (TAKING.includes(word)) at++
  }
  const [command = '', ...rest] = plain
  const named = settings.trim().split(/\s+/).filter(Boolean)
  const set = named.map((setting) => setting.split('=')[0] ?? '')
  return IN_ONE.includes(command)
    ? { settings: set, command, services: rest.slice(0, 1), program: rest.slice(1) }
    : { settings: set, command, services: rest, program: [] }
}

const CALL = /((?:[A-Z_]+=\S+ )*)docker compose((?: (?:"[^"]*"|[^\s`"&|;<>#,:)]+)+)+)/g

const lines = FILES.flatMap((file) =>
  [...textOf(file).matchAll(CALL)].map(([said, settings = '', after = '']) => {
    const words = after.trim().match(/(?:"[^"]*"|[^\s"])+/g) ?? []
    return { said: `${file}: ${said}`, ...lineOf(settings, words) }
  }),
)

/** The file of Node that a service runs, and the words that are its own. */
function programIn(service: string, program: string[]): string {
  const [node, file = ''] = [...(compose.services[service]?.entrypoint ?? []), ...program]
  return node === 'node' ? file : ''
}

const sourceOf = (file: string): string =>
  file.replace(/^scripts\/dist\/(.*)\.js$/, 'scripts/$1.ts').replace(/^(.*)\/(?:dist|lib)\/(.*)\.js$/, '$1/src/$2.ts')

describe.each(lines)('$said', ({ command, settings, services, program }) => {
  it('names a command of Compose, settings and services of the file, and a program that is there', () => {
    expect(COMMANDS).toContain(command)
    for (const name of settings) expect(composeText).toContain(`\${${name}:`)
    for (const name of services) expect(Object.keys(compose.services)).toContain(name)
    if (program.length === 0) return
    const [service = ''] = services
    if (['ls', 'rm', 'curl', 'cp'].includes(program[0] ?? '')) return undefined
    expect(own.map(([name]) => name)).toContain(service)
    const file = programIn(service, program)
    expect(filesBelow('')).toContain(sourceOf(file))
  })
})

test('the lines of README that are for compose are found', () => {
  const commands = lines.filter(({ said }) => said.startsWith('README.md')).map(({ command }) => command)
  expect(new Set(commands)).toEqual(new Set(['exec', 'run', 'up', 'kill']))
  expect(lines.filter(({ program }) => program.length > 0).length).toBeGreaterThan(15)
})

test('a line that names something else is read as it stands', () => {
  expect(lineOf('A=1 ', ['run', '--rm', '-v', 'x:/x', 'prepare', 'node', 'a.js', '--json'])).toEqual({
    settings: ['A'],
    command: 'run',
    services: ['prepare'],
    program: ['node', 'a.js', '--json'],
  })
  expect(lineOf('', ['kill', '-s', 'SIGUSR2', 'api']).services).toEqual(['api'])
})

/** The settings that README names about compose are those that the file takes, or those of a program in it. */
test.each(['Compose.', 'More of it.', 'Watch'])('the settings that README names under %s are taken', (title) => {
  const named = sectionOf(title).match(/\b[A-Z]{2,}(?:_[A-Z]+)+\b/g) ?? []
  const tables = ['api', 'signer', 'indexer'].map((room) => textOf(`${room}/README.md`)).join('\n')
  const isTaken = (name: string) =>
    composeText.includes(`\${${name}:`) || tables.includes(`| \`${name}\``) || tables.includes(`, \`${name}\``)
  /** The variables that the reader's shell has. */
  const ofTheReader = ['API_ADDRESS']
  expect(named.filter((name) => !ofTheReader.includes(name) && !isTaken(name))).toEqual([])
})
