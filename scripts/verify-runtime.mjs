// npm run verify-runtime compares the runtime that a ledger uses with the one of this repository.
import { prepare, projectRoot, refuse } from './prepare.mjs'

// A program that reads the answer gets nothing else.
await prepare(process.argv.includes('--json') ? { begun() {}, ended() {}, refuse } : undefined)
const { verifyRuntimeHere } = await import('./dist/start/verify-runtime.js')
await verifyRuntimeHere(process.argv.slice(2), projectRoot)
