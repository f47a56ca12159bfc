// Records the sources that the artifact was built from, and tells whether it still belongs to them. Called by scripts/build-runtime.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const artifact = dirname(fileURLToPath(import.meta.url))
const chain = dirname(artifact)
const paths = {
  manifest: join(artifact, 'manifest.json'),
  metadata: join(artifact, 'metadata.scale'),
  wasm: join(artifact, 'accredit_runtime.compact.compressed.wasm'),
  next: join(artifact, 'testing/next.wasm'),
}

const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex')

/** Everything that the runtime is compiled from; tests, benchmarks and prose are not. */
function sources() {
  const walk = (folder) =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      if (['tests', 'benchmarks.rs', 'target'].includes(entry.name)) return []
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return walk(path)
      return /\.(rs|toml)$/.test(entry.name) ? [path] : []
    })
  const files = [...walk(join(chain, 'pallets')), ...walk(join(chain, 'runtime'))]
  return [...files, join(chain, 'Cargo.toml'), join(chain, 'Cargo.lock')]
}

function sourceHash() {
  const lines = sources().map((path) => {
    const name = relative(chain, path).split(sep).join('/')
    return `${name} ${sha256(readFileSync(path, 'utf8').replaceAll('\r\n', '\n'))}`
  })
  return sha256(lines.sort().join('\n'))
}

const readManifest = () => JSON.parse(readFileSync(paths.manifest, 'utf8'))

function fail(sentence) {
  console.error(`artifact: ${sentence}`)
  process.exit(1)
}

function check() {
  const manifest = readManifest()
  if (manifest.sourceHash !== sourceHash()) fail('is older than its sources; run scripts/build-runtime')
  if (manifest.wasmSha256 !== sha256(readFileSync(paths.wasm))) fail('the WASM is not the one in the manifest')
  if (manifest.nextWasmSha256 !== sha256(readFileSync(paths.next))) {
    fail('the runtime that tests upgrade to is not the one in the manifest')
  }
  if (manifest.metadataSha256 !== sha256(readFileSync(paths.metadata))) {
    fail('the metadata is not the one in the manifest')
  }
}

function builtBy(compiler) {
  const { rustc } = readManifest()
  if (rustc === compiler) return
  console.log(`artifact: built by ${rustc}; here is ${compiler}: bytes not compared`)
  process.exit(1)
}

/** Of the runtime that is used; the one that tests upgrade to costs a build of its own, and nothing but tests. */
function compare(built) {
  const { codeSha256 } = readManifest()
  if (codeSha256 !== sha256(readFileSync(built))) fail('the same sources and compiler give other bytes')
  console.log('artifact: the same bytes')
}

/** Asks the runtime itself for its version and metadata, in the executor that the embedded ledger uses. */
async function describe(code) {
  const { Metadata, TypeRegistry } = await import('@polkadot/types')
  const { compactStripLength, hexToU8a, u8aToHex } = await import('@polkadot/util')
  const { destroyWorker, emptyTaskHandler, runTask } = await import('@acala-network/chopsticks-core')
  const handler = { ...emptyTaskHandler, getStorage: async () => undefined, getNextKey: async () => undefined }
  const options = { mockSignatureHost: false, allowUnresolvedImports: false, runtimeLogLevel: 0 }
  const call = async (name, argument) => {
    const answer = await runTask({ wasm: u8aToHex(code), calls: [[name, [argument]]], ...options }, handler)
    if (!('Call' in answer)) fail(`${name}: ${answer.Error}`)
    return hexToU8a(answer.Call.result)
  }
  const registry = new TypeRegistry()
  const version = registry.createType('RuntimeVersion', await call('Core_version', '0x'))
  const [, metadata] = compactStripLength((await call('Metadata_metadata_at_version', '0x10000000')).subarray(1))
  registry.setMetadata(new Metadata(registry, metadata))
  await destroyWorker()
  return { metadata, specVersion: version.specVersion.toNumber() }
}

async function write(built, next, rustc) {
  const { blake2AsHex } = await import('@polkadot/util-crypto')
  const wasm = readFileSync(paths.wasm)
  const { metadata, specVersion } = await describe(wasm)
  writeFileSync(paths.metadata, metadata)
  const manifest = {
    specVersion,
    sourceHash: sourceHash(),
    rustc,
    codeSha256: sha256(readFileSync(built)),
    wasmSha256: sha256(wasm),
    wasmBlake2: blake2AsHex(wasm, 256).slice(2),
    metadataSha256: sha256(metadata),
    nextCodeSha256: sha256(readFileSync(next)),
    nextWasmSha256: sha256(readFileSync(paths.next)),
  }
  writeFileSync(paths.manifest, `${JSON.stringify(manifest, null, 2)}\n`)
  console.log(`artifact: ${wasm.length} bytes, metadata ${metadata.length} bytes, spec ${specVersion}`)
}

const [command, ...rest] = process.argv.slice(2)
const commands = { check, 'built-by': builtBy, compare, write }
await commands[command](...rest)
