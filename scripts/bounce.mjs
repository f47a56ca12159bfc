// npm run bounce < MAIL: notes that a mail with a credential came back, in this folder's installation, whether it runs or not.
import { prepare, projectRoot } from './prepare.mjs'

await prepare()
const { noteBounce } = await import('./dist/start/bounce.js')
await noteBounce(process.argv.slice(2), projectRoot)
