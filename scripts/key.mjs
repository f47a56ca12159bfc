// npm run key -- list | create | revoke: the keys of this folder's installation, whether it runs or not.
import { prepare, projectRoot } from './prepare.mjs'

await prepare()
const { manageKeys } = await import('./dist/start/key.js')
await manageKeys(process.argv.slice(2), projectRoot)
