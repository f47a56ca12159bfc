// npm run restore fills an empty folder and an empty database from a copy.
import { prepare, projectRoot } from './prepare.mjs'

await prepare()
const { restoreHere } = await import('./dist/backup/local.js')
await restoreHere(process.argv.slice(2), projectRoot)
