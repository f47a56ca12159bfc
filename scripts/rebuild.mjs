// npm run rebuild -w indexer builds the index of this folder's installation anew, beside the one in use.
import { prepare, projectRoot } from './prepare.mjs'

await prepare()
const { rebuildIndex } = await import('./dist/start/rebuild.js')
await rebuildIndex(process.argv.slice(2), projectRoot)
