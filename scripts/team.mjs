// npm run team -- --name NAME: a further team and its key, in the installation that runs here.
import { prepare, projectRoot } from './prepare.mjs'

await prepare()
const { makeTeam } = await import('./dist/start/team.js')
await makeTeam(process.argv.slice(2), projectRoot)
