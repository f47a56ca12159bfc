import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { root } from './repository-files.js'

interface Service {
  entrypoint?: string[]
  command?: string[]
  healthcheck?: { test?: string[] }
  environment?: Record<string, string>
}

const compose: { services: Record<string, Service> } = parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), {
  merge: true,
})

/** The things that a container has and a process of a test has elsewhere. */
export interface Elsewhere {
  /** The settings of the person who runs compose. */
  given: Readonly<Record<string, string>>
  /** The place of each text of the file: a host, a folder, a port. The first that fits is taken. */
  places: readonly (readonly [text: string, place: string])[]
}

/** The environment that the compose file gives a service. */
export function environmentOf(service: string, { given, places }: Elsewhere): Record<string, string> {
  const moved = (value: string): string => {
    const [text, place] = places.find(([one]) => value.includes(one)) ?? []
    return text === undefined || place === undefined ? value : value.replace(text, place)
  }
  const set = Object.entries(compose.services[service]?.environment ?? {})
  return Object.fromEntries(set.map(([name, value]) => [name, moved(filled(String(value), given))]))
}

/** Returns a text of the file with the settings in it, or what it says in their place. */
function filled(text: string, given: Elsewhere['given']): string {
  return text.replace(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, kind: string, otherwise: string) => {
    if (given[name] !== undefined) return given[name]
    if (kind === '-') return otherwise
    throw new Error(`${name} is not given`)
  })
}

/** The command of a service, after the program that it is a command of, where there is one. */
export function commandOf(service: string, given: Elsewhere['given'] = {}): string[] {
  const { entrypoint = [], command = [] } = compose.services[service] ?? {}
  return [...entrypoint, ...command].map((word) => filled(word, given))
}

/** The arguments of Node for the check of a service's health. */
export function healthCheckOf(service: string): string[] {
  const [, program, ...args] = compose.services[service]?.healthcheck?.test ?? []
  if (program !== 'node') throw new Error(`the health of ${service} is checked by no program of ours`)
  return args
}

/** The arguments of Node for a service of ours. */
export function programOf(service: string): string[] {
  const [node, ...program] = commandOf(service)
  if (node !== 'node') throw new Error(`${service} is no program of ours`)
  return program
}
