import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { ledgerUrls } from '@accredit/process/ledger-urls'
import { Refusal } from './refusal.js'

export type Environment = 'sandbox' | 'production'

export interface StartOptions {
  projectRoot: string
  environment: Environment
  /** Removes everything that earlier starts kept. */
  fresh: boolean
  tour: boolean
  /** The port of the command line; it only counts at the first start. */
  port: number | undefined
  /** The ledger's port; by default a free one is chosen at the first start, and kept. */
  ledgerPort?: number | undefined
  /** The nodes of a network of validators, which takes the place of the embedded ledger from the first start on. */
  ledgerUrls?: string[] | undefined
  databaseUrl: string | undefined
  /** The folder of settings, keys, logs and the embedded database. */
  stateDir: string
}

export const startUsage = `npm start -- [options]
  --env sandbox|production   which environment to run (each has its own state); default sandbox
  --port N                   port of the API, fixed at the first start; default 3300 (production 3400)
  --ledger-port N            port of the ledger, kept from the start that names it; default a free one
  --ledger-urls URL,URL      run on a network of validators: the addresses of its nodes (ws://…), kept from the start that
                             names them; by default a ledger of its own
  --state FOLDER             where settings, keys, logs and the embedded database live; default .accredit
  --fresh                    forget everything first, but for the journal of erasures, which a restored copy needs
  --no-tour                  skip the tour of the first start
DATABASE_URL names a PostgreSQL database to use instead of the embedded one.`

export const asksForHelp = (argv: readonly string[]): boolean => argv.includes('--help') || argv.includes('-h')

/** Splits the arguments that name an installation from those of a command. */
export function splitPlace(argv: string[]): { place: string[]; rest: string[] } {
  const options = { env: { type: 'string' }, state: { type: 'string' } } as const
  const { tokens } = parseArgs({ args: argv, options, strict: false, allowPositionals: true, tokens: true })
  const place: string[] = []
  const taken = new Set<number>()
  for (const token of tokens) {
    if (token.kind !== 'option' || (token.name !== 'env' && token.name !== 'state')) continue
    place.push(token.value === undefined ? token.rawName : `${token.rawName}=${token.value}`)
    taken.add(token.index)
    if (token.value !== undefined && !token.inlineValue) taken.add(token.index + 1)
  }
  return { place, rest: argv.filter((_, index) => !taken.has(index)) }
}

export function parseOptions(argv: string[], projectRoot: string, env: NodeJS.ProcessEnv): StartOptions {
  const values = parse(argv)
  const environment = values.env === 'production' ? 'production' : 'sandbox'
  if (values.env !== undefined && values.env !== environment)
    throw new Refusal(`--env is sandbox or production, not '${values.env}'.\n${startUsage}`)
  const home = resolve(projectRoot, values.state ?? '.accredit')
  return {
    projectRoot,
    environment,
    fresh: values.fresh ?? false,
    tour: !(values['no-tour'] ?? false),
    port: parsePort('--port', values.port),
    ledgerPort: parsePort('--ledger-port', values['ledger-port']),
    ledgerUrls: parseUrls(values['ledger-urls']),
    databaseUrl: env.DATABASE_URL || undefined,
    stateDir: environment === 'sandbox' ? home : join(home, 'production'),
  }
}

function parse(argv: string[]) {
  try {
    return parseArgs({
      args: argv,
      options: {
        env: { type: 'string' },
        port: { type: 'string' },
        'ledger-port': { type: 'string' },
        'ledger-urls': { type: 'string' },
        state: { type: 'string' },
        fresh: { type: 'boolean' },
        'no-tour': { type: 'boolean' },
      },
    }).values
  } catch (error) {
    throw new Refusal(`${error instanceof Error ? error.message : error}\n${startUsage}`)
  }
}

function parseUrls(text: string | undefined): string[] | undefined {
  if (text === undefined) return undefined
  try {
    return ledgerUrls({ LEDGER_URLS: text })
  } catch {
    throw new Refusal('--ledger-urls takes addresses that begin with ws:// or wss://, separated by commas.')
  }
}

function parsePort(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const port = Number(text)
  if (!Number.isInteger(port) || port < 1 || port > 65535)
    throw new Refusal(`${option} is a number from 1 to 65535, not '${text}'.`)
  return port
}
