// Makes src/types from the built runtime: `npm run typegen`, after `npm run build`. The artifact's own metadata is of a
// version that Subsquid does not read; the runtime gives the older one too. When a later runtime changes the shape of an
// event, both shapes are needed: keep a version's line and add the new one.
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { artifactCode } from '../chain/embedded/dist/runtime/artifact.js'
import { Runtime } from '../chain/embedded/dist/runtime/runtime.js'

const { metadata, version } = await Runtime.load(await artifactCode())
const specVersion = Number(version.specVersion)
mkdirSync('lib', { recursive: true })
writeFileSync(
  'lib/versions.jsonl',
  `${JSON.stringify({ specName: 'accredit', specVersion, blockNumber: 0, blockHash: '0x', metadata })}\n`,
)
writeFileSync(
  'lib/typegen.json',
  JSON.stringify({
    outDir: '../src/types',
    specVersions: 'versions.jsonl',
    pallets: { Did: { events: true }, TrustRegistry: { events: true }, Revocation: { events: true } },
  }),
)
execFileSync('squid-substrate-typegen', ['lib/typegen.json'], { stdio: 'inherit' })
process.exit(0)
