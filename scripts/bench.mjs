// npm run bench [-- PART [SCENE]] measures the whole product on this machine, on a database and a ledger of its own.
import { prepare, projectRoot } from './prepare.mjs'

await prepare()
const { bench } = await import('./dist/bench/bench.js')
await bench(projectRoot, process.argv.slice(2))
