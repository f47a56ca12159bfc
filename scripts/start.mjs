// npm start: install, compile, then start everything and show the tour.
import { prepare, projectRoot } from './prepare.mjs'

await prepare()
const { main } = await import('./dist/start/main.js')
await main(process.argv.slice(2), projectRoot)
