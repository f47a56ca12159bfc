// Makes src/types from the built runtime: `npm run typegen`, after `npm run build`. The artifact's own metadata is of a
// version that Subsquid does not read; the runtime gives the older one too. When a runtime changes the shape of an event,
// both shapes are needed: `runtimes` keeps the metadata of the last version before each change, named for the first
// version that had its shapes.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { artifactCode } from '../chain/embedded/dist/runtime/artifact.js'
import { Runtime } from '../chain/embedded/dist/runtime/runtime.js'

const { metadata, version } = await Runtime.load(await artifactCode())
const specVersion = Number(version.specVersion)
mkdirSync('lib', { recursive: true })
const earlier = readdirSync('runtimes').map((file) => ({
  specVersion: Number.parseInt(file.slice(1), 10),
  metadata: gunzipSync(readFileSync(`runtimes/${file}`)).toString(),
}))
const versions = [...earlier, { specVersion, metadata }].sort((a, b) => a.specVersion - b.specVersion)
writeFileSync(
  'lib/versions.jsonl',
  versions
    .map((one, blockNumber) => JSON.stringify({ specName: 'accredit', ...one, blockNumber, blockHash: '0x' }))
    .map((line) => `${line}\n`)
    .join(''),
)
writeFileSync(
  'lib/typegen.json',
  JSON.stringify({
    outDir: '../src/types',
    specVersions: 'versions.jsonl',
    pallets: Object.fromEntries(
      ['Did', 'TrustRegistry', 'Revocation', 'Governance', 'Council', 'CouncilMembers'].map((name) => [
        name,
        { events: true },
      ]),
    ),
  }),
)
execFileSync('squid-substrate-typegen', ['lib/typegen.json'], { stdio: 'inherit' })
process.exit(0)
