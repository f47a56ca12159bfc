import { parseArgs } from 'node:util'
import { withInstallation } from './installed.js'
import { asksForHelp, parseOptions } from './options.js'
import { runToEnd } from './processes/run-to-end.js'
import { messageOf, Refusal } from './refusal.js'

const usage = 'npm run team -- --name NAME [--env sandbox|production] [--state FOLDER]'

/** Makes a further team in the installation that lives here, and prints its key, which is shown only this once. */
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
    const args = ['--name', values.name, '--role', 'owner']
    const made = await withInstallation(options, (environment) =>
      runToEnd(options, 'api/dist/team.js', args, environment),
    )
    console.log(`Team ${made.teamId} (${values.name})\nKey  ${made.apiKey}\nThe key is shown only now.`)
  } catch (error) {
    console.error(messageOf(error))
    process.exit(1)
  }
}
