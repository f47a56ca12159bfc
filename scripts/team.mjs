// npm run team -- --name NAME makes a further team and its key, in this folder's installation.
import { prepare, projectRoot } from './prepare.mjs'

await prepare()
const { makeTeam } = await import('./dist/start/team.js')
await makeTeam(process.argv.slice(2), projectRoot)
