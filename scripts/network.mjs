// npm run network starts, watches and stops a network of validators on this machine.
import { prepare, projectRoot } from './prepare.mjs'

await prepare()
const { network } = await import('./dist/network/main.js')
await network(process.argv.slice(2), projectRoot)
