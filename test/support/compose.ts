import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { root } from './repository-files.js'

export interface Service {
  image: string
  secrets?: string[]
  networks?: string[]
  ports?: string[]
  expose?: string[]
  mem_limit?: string
  restart?: string
  read_only?: boolean
  deploy?: { replicas: string | number }
  cpu_shares?: number
  build?: { context: string; target: string }
  profiles?: string[]
  pids_limit?: number
  network_mode?: string
  entrypoint?: string[]
  command?: string[]
  environment?: Record<string, string>
  env_file?: string[]
  volumes?: string[]
  labels?: Record<string, string>
  depends_on?: Record<string, { condition: string; required?: boolean }>
  healthcheck?: { test?: string[] }
}

export const composeText = readFileSync(join(root, 'docker-compose.yml'), 'utf8')
export const compose: {
  services: Record<string, Service>
  volumes: Record<string, unknown>
  secrets: Record<string, { file: string }>
  networks: Record<string, { internal?: boolean } | null>
} = parse(composeText, { merge: true })
export const services = Object.entries(compose.services)
/** The services that run the image of our processes. */
export const own = services.filter(([, { build }]) => build?.target === 'service')
/** The nodes of the profile `network`. */
export const nodes = services.filter(([, { build }]) => build?.target === 'node')

/** Returns a setting as the file takes it from an operator, with its value otherwise. */
export const unlessSet = (name: string, usual: string): string => `\${${name}:-${usual}}`

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
export function filled(text: string, given: Elsewhere['given']): string {
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
