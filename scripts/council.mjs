// npm run council lets a member of a network's council propose, vote and see what is voted on.
import { prepare } from './prepare.mjs'

await prepare()
const { council } = await import('./dist/council/main.js')
await council(process.argv.slice(2))
