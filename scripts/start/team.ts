import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { asksForHelp, parseOptions } from './options.js'
import { messageOf, Refusal } from './refusal.js'
import { prepareRooms } from './roles.js'
import { runToEnd } from './run-to-end.js'
import { loadSettings, roleNaming } from './settings.js'

const usage = 'npm run team -- --name NAME [--env sandbox|production] [--state FOLDER]'

/** Makes a further team in the installation that runs here, and prints its key, which is shown only this once. */
export async function makeTeam(argv: string[], projectRoot: string): Promise<void> {
  if (asksForHelp(argv)) return console.log(usage)
  try {
    const { values } = parseArgs({
      args: argv,
      options: { name: { type: 'string' }, env: { type: 'string' }, state: { type: 'string' } },
    })
    if (!values.name?.trim()) throw new Refusal(`A team needs a name.\n${usage}`)
    const place = Object.entries({ env: values.env, state: values.state })
    const options = parseOptions(
      place.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value])),
      projectRoot,
      process.env,
    )
    const rooms = await prepareRooms(await runningDatabase(options.stateDir), roleNaming(await loadSettings(options)))
    const environment = {
      ENVIRONMENT: options.environment,
      DATABASE_URL: rooms.urls.api,
      SYSTEM_DATABASE_URL: rooms.urls.system,
      SERVICE_KEY_FILE: join(options.stateDir, 'keys', 'service.key'),
    }
    const made = await runToEnd(options, 'api/dist/team.js', ['--name', values.name, '--role', 'owner'], environment)
    console.log(`Team ${made.teamId} (${values.name})\nKey  ${made.apiKey}\nThe key is shown only now.`)
  } catch (error) {
    console.error(messageOf(error))
    process.exit(1)
  }
}

async function runningDatabase(stateDir: string): Promise<string> {
  const text = await readFile(join(stateDir, 'ready.json'), 'utf8').catch(() => '')
  if (text === '') throw new Refusal('Accredit does not run here: start it first (npm start).')
  return JSON.parse(text).databaseUrl
}
