// npm run verify-proof -- BUNDLE --genesis HASH checks offline what a bundle says about the ledger.
import { prepare, refuse } from './prepare.mjs'

// A program that reads the answer gets nothing else.
await prepare(process.argv.includes('--json') ? { begun() {}, ended() {}, refuse } : undefined)
const { verifyProofHere } = await import('./dist/start/verify-proof.js')
await verifyProofHere(process.argv.slice(2))
