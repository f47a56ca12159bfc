import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { wasmOf } from '@accredit/embedded-ledger/wasm'
import { placeOf } from '@accredit/process/ledger-urls'
import Type, { type Static, type TSchema } from 'typebox'
import { Check } from 'typebox/schema'
import { endWith } from './command.js'
import { runningInstallation } from './installed.js'
import { asksForHelp, parseOptions, splitPlace } from './options.js'
import { Refusal } from './refusal.js'

const usage = `npm run verify-runtime -- [--url URL] [--env sandbox|production] [--state FOLDER] [--json]
  Compares the runtime that a ledger uses after its newest final block with the one of this repository, whose sources
  stand in chain/ (scripts/build-runtime builds it again). The exit code is 0 where they are equal, else 1.
  --url URL   JSON-RPC of a node (ws://… or http://…); by default the ledger of the installation that runs here
  --json      print the same as JSON`

/** The key of the runtime's code, which every Substrate ledger keeps under `:code`. */
const CODE_KEY = '0x3a636f6465'
const TIMEOUT_MS = 30_000

const Hex = Type.String({ pattern: '^0x([0-9a-f]{2})*$' })
const Version = Type.Object({ specVersion: Type.Integer() })
const Header = Type.Object({ number: Type.String({ pattern: '^0x[0-9a-f]+$' }) })
const Manifest = Type.Object({ specVersion: Type.Integer(), codeSha256: Type.String(), wasmSha256: Type.String() })

/** A runtime by its version, and by the SHA-256 of its WebAssembly and of the bytes in which that is stored. */
interface Runtime {
  readonly specVersion: number
  readonly codeSha256: string
  readonly storedSha256: string
}

interface Comparison {
  readonly isEqual: boolean
  readonly url: string
  readonly block: number
  readonly ledger: Runtime
  readonly repository: Runtime
}

/** Compares the runtimes that the arguments name; see `usage`. */
export function verifyRuntimeHere(argv: string[], projectRoot: string): Promise<void> {
  return endWith(() => compareRuntimes(argv, projectRoot, console.log))
}

/** Prints whether the runtimes are equal, and returns the exit code. */
export async function compareRuntimes(
  argv: string[],
  projectRoot: string,
  print: (text: string) => void,
): Promise<number> {
  if (asksForHelp(argv)) {
    print(usage)
    return 0
  }
  const { place, rest } = splitPlace(argv)
  const { url: given, json = false } = parsed(rest)
  const url = given ?? (await urlOfInstallation(place, projectRoot))
  const [used, repository] = await Promise.all([runtimeOf(url), artifactOf(projectRoot)])
  const isEqual = used.ledger.codeSha256 === repository.codeSha256
  const comparison = { isEqual, url: placeOf(url), ...used, repository }
  print(json ? JSON.stringify(comparison, null, 2) : told(comparison))
  return isEqual ? 0 : 1
}

function parsed(argv: string[]) {
  try {
    return parseArgs({ args: argv, options: { url: { type: 'string' }, json: { type: 'boolean' } } }).values
  } catch (error) {
    throw new Refusal(`${error instanceof Error ? error.message : error}\n${usage}`)
  }
}

async function urlOfInstallation(place: string[], projectRoot: string): Promise<string> {
  const { ownLedgerUrl, ledgerUrls = [] } = await runningInstallation(parseOptions(place, projectRoot, process.env))
  return ledgerUrls[0] ?? ownLedgerUrl
}

async function runtimeOf(url: string): Promise<{ block: number; ledger: Runtime }> {
  const ask = asker(url)
  const hash = await ask(Hex, 'chain_getFinalizedHead')
  const [header, code, { specVersion }] = await Promise.all([
    ask(Header, 'chain_getHeader', hash),
    ask(Hex, 'state_getStorage', CODE_KEY, hash),
    ask(Version, 'state_getRuntimeVersion', hash),
  ])
  return { block: Number(header.number), ledger: { specVersion, ...hashesOf(Buffer.from(code.slice(2), 'hex')) } }
}

/** The manifest is compared with what it is about, so that neither is taken on trust. */
async function artifactOf(projectRoot: string): Promise<Runtime> {
  const folder = join(projectRoot, 'chain/artifact')
  const manifest: unknown = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'))
  const hashes = hashesOf(await readFile(join(folder, 'accredit_runtime.compact.compressed.wasm')))
  if (
    !Check(Manifest, manifest) ||
    manifest.codeSha256 !== hashes.codeSha256 ||
    manifest.wasmSha256 !== hashes.storedSha256
  )
    throw new Refusal(`The runtime in ${folder} is not the one in its manifest.`)
  return { specVersion: manifest.specVersion, ...hashes }
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

const hashesOf = (stored: Uint8Array) => ({ codeSha256: sha256(wasmOf(stored)), storedSha256: sha256(stored) })

function asker(url: string) {
  const address = url.replace(/^ws(s?):/, 'http$1:')
  if (!URL.canParse(address) || !/^https?:/.test(address))
    throw new Refusal(`--url is the address of a node (ws://… or http://…), not '${url}'.`)
  return async <Shape extends TSchema>(shape: Shape, method: string, ...params: string[]): Promise<Static<Shape>> => {
    const answer = await answerOf(address, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    if (!Check(shape, answer)) throw new Refusal(`The node does not answer ${method} as a Substrate ledger does.`)
    return answer
  }
}

async function answerOf(address: string, body: string): Promise<unknown> {
  const headers = { 'content-type': 'application/json' }
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const answer: unknown = await (await fetch(address, { method: 'POST', headers, body, signal })).json()
    return typeof answer === 'object' && answer !== null && 'result' in answer ? answer.result : undefined
  } catch (cause) {
    throw new Refusal(`The node at ${placeOf(address)} cannot be asked: ${messageOfCause(cause)}`)
  }
}

function messageOfCause(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  return cause instanceof Error ? cause.message : String(cause)
}

function told({ isEqual, url, block, ledger, repository }: Comparison): string {
  const lines = ({ specVersion, codeSha256, storedSha256 }: Runtime) => [
    `  version             ${specVersion}`,
    `  SHA-256 of its code ${codeSha256}`,
    `  as it is stored     ${storedSha256}`,
  ]
  return [
    isEqual ? 'Equal: the ledger runs the runtime of this repository.' : 'Different: the ledger runs another runtime.',
    `The ledger at ${url}, after block ${block}`,
    ...lines(ledger),
    'This repository',
    ...lines(repository),
  ].join('\n')
}
