// npm run backup makes a copy of this folder's installation, while it runs or not.
import { prepare, projectRoot } from './prepare.mjs'

await prepare()
const { backUpHere } = await import('./dist/backup/local.js')
await backUpHere(process.argv.slice(2), projectRoot)
