// npm start installs, compiles, starts everything and shows the tour.
import { IN_A_LOG, prepare, projectRoot } from './prepare.mjs'
import { watchStarter } from './starter.mjs'

const isStarterGone = watchStarter()

await prepare(process.stdout.isTTY ? undefined : IN_A_LOG)
const { main } = await import('./dist/start/main.js')
await main(process.argv.slice(2), projectRoot, isStarterGone)
