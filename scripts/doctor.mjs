// npm run doctor tells what is wrong with this folder's installation, and what to do.
import { prepare, projectRoot, refuse } from './prepare.mjs'

// A program that reads the findings gets nothing else.
await prepare(process.argv.includes('--json') ? { begun() {}, ended() {}, refuse } : undefined)
const { examineHere } = await import('./dist/doctor/local.js')
await examineHere(process.argv.slice(2), projectRoot)
