import { readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { placeOf } from '@accredit/process/ledger-urls'
import Type from 'typebox'
import { Check } from 'typebox/schema'
import { endWith } from './command.js'
import { runningInstallation } from './installed.js'
import { type LedgerCode, provenCode, toldCode } from './ledger-code.js'
import { nodeAt } from './node-door.js'
import { asksForHelp, parseOptions, splitPlace } from './options.js'
import { messageOf, Refusal } from './refusal.js'
import { type Runtime, runtimeOf } from './runtime-code.js'
import { type BundleArguments, bundleArguments, bundleOptions } from './verify-proof.js'

const usage = `npm run verify-runtime -- [--url URL] [--block NUMBER|HASH] [--artifact FILE] [--json]
npm run verify-runtime -- [--url URL] --bundle FILE --genesis HASH [--known NUMBER:HASH …] [--artifact FILE] [--json]
  Compares the runtime that a ledger uses after a final block with the one of this repository, whose sources stand in
  chain/ (scripts/build-runtime builds it again). The exit code is 0 where they are equal, else 1.
  --url URL        JSON-RPC of a node (ws://… or http://…); by default the ledger of the installation that runs here
  --block BLOCK    the block, by its number or its hash; by default the newest final one. That it is final, and its
                   runtime, are then the node's word
  --bundle FILE    a bundle: its block is meant, and the runtime is proved from it. The node only gives the code and
                   the proof of it; --genesis and --known are those of npm run verify-proof
  --artifact FILE  another runtime than that of this repository: an earlier one, out of its history
  --json           print the same as JSON
  --state FOLDER, --env sandbox|production  the installation, where no URL is given`

const ARTIFACT = 'chain/artifact/accredit_runtime.compact.compressed.wasm'
const Manifest = Type.Object({ specVersion: Type.Integer(), codeSha256: Type.String(), wasmSha256: Type.String() })

interface Comparison extends Omit<LedgerCode, 'code'> {
  readonly isEqual: boolean
  readonly url: string
  readonly ledger: Runtime
  readonly artifact: Runtime & { readonly file: string }
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
  const { url: given, block, bundle, artifact: file, json = false } = readArguments(rest)
  const url = given ?? (await urlOfInstallation(place, projectRoot))
  const node = nodeAt(url)
  const [used, artifact] = await Promise.all([
    bundle ? provenCode(node, bundle) : toldCode(node, block),
    file === undefined ? ownArtifact(projectRoot) : artifactIn(file),
  ])
  const comparison = compared(used, artifact, placeOf(url))
  print(json ? JSON.stringify(comparison, null, 2) : told(comparison, file === undefined))
  return comparison.isEqual ? 0 : 1
}

function compared({ code, ...used }: LedgerCode, artifact: Comparison['artifact'], url: string): Comparison {
  const ledger = runtimeOf(code, `What the node gives after block ${used.block.number}`)
  return { isEqual: ledger.codeSha256 === artifact.codeSha256, url, ...used, ledger, artifact }
}

interface Arguments {
  url?: string
  block?: string
  bundle?: BundleArguments
  artifact?: string
  json?: boolean
}

function readArguments(argv: string[]): Arguments {
  const { bundle: file, genesis, known, ...rest } = parsed(argv)
  if (file === undefined) {
    if (genesis !== undefined || known !== undefined) throw new Refusal('--genesis and --known belong to --bundle.')
    return rest
  }
  if (rest.block !== undefined) throw new Refusal('--bundle names its block: --block has no place beside it.')
  if (genesis === undefined) throw new Refusal('--bundle is checked from --genesis HASH.')
  return { ...rest, bundle: bundleArguments(file, genesis, known) }
}

function parsed(argv: string[]) {
  const text = { type: 'string' } as const
  const options = { url: text, block: text, bundle: text, artifact: text, json: { type: 'boolean' } } as const
  try {
    return parseArgs({ args: argv, options: { ...options, ...bundleOptions } }).values
  } catch (error) {
    throw new Refusal(`${messageOf(error)}\n${usage}`)
  }
}

async function urlOfInstallation(place: string[], projectRoot: string): Promise<string> {
  const { ownLedgerUrl, ledgerUrls = [] } = await runningInstallation(parseOptions(place, projectRoot, process.env))
  return ledgerUrls[0] ?? ownLedgerUrl
}

/** The manifest is compared with what it is about, so that neither is taken on trust. */
async function ownArtifact(projectRoot: string): Promise<Comparison['artifact']> {
  const path = join(projectRoot, ARTIFACT)
  const manifest: unknown = JSON.parse(await readFile(join(path, '../manifest.json'), 'utf8'))
  const artifact = await artifactIn(path)
  if (
    !Check(Manifest, manifest) ||
    manifest.specVersion !== artifact.specVersion ||
    manifest.codeSha256 !== artifact.codeSha256 ||
    manifest.wasmSha256 !== artifact.storedSha256
  )
    throw new Refusal(`The runtime ${path} is not the one in its manifest.`)
  return { ...artifact, file: relative(projectRoot, path) }
}

async function artifactIn(file: string): Promise<Comparison['artifact']> {
  const stored = await readFile(file).catch((error: Error) => {
    throw new Refusal(`${file} cannot be read: ${error.message}`)
  })
  return { file, ...runtimeOf(stored, file) }
}

function told({ isEqual, url, block, isProved, trusted, ledger, artifact }: Comparison, isOwn: boolean): string {
  const lines = ({ specVersion, codeSha256, storedSha256 }: Runtime) => [
    `  version             ${specVersion}`,
    `  SHA-256 of its code ${codeSha256}`,
    `  as it is stored     ${storedSha256}`,
  ]
  const runtime = isOwn ? 'the runtime of this repository' : 'this runtime'
  const isEarlier = !isEqual && isOwn && ledger.specVersion < artifact.specVersion
  return [
    isEqual ? `Equal: the ledger runs ${runtime}.` : 'Different: the ledger runs another runtime.',
    `The ledger after block ${block.number}, ${block.hash}`,
    ...lines(ledger),
    isProved
      ? `  proved              from the bundle, for that block alone; the node gave no more than the bytes\n  trusted             ${trusted}`
      : `  taken on trust      from the node at ${url}: that the block is final, and its runtime`,
    artifact.file,
    ...lines(artifact),
    ...(isEarlier
      ? [`An earlier runtime, version ${ledger.specVersion}: \`git log -- ${artifact.file}\` has it, for --artifact.`]
      : []),
  ].join('\n')
}
