// npm run doctor tells what is wrong with this folder's installation, and what to do.
import { prepare, projectRoot } from './prepare.mjs'

await prepare(process.argv.includes('--json') ? { begun() {}, ended() {}, refuse: (sentence) => { console.error(sentence); process.exit(1) } } : undefined)
const { examineHere } = await import('./dist/doctor/local.js')
await examineHere(process.argv.slice(2), projectRoot)
