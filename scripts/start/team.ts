import { parseArgs } from 'node:util'
import { endWith } from './command.js'
import { withInstallation } from './installed.js'
import { asksForHelp, parseOptions, splitPlace } from './options.js'
import { runToEnd } from './processes/run-to-end.js'
import { Refusal } from './refusal.js'

const usage = 'npm run team -- --name NAME [--env sandbox|production] [--state FOLDER]'

/** Makes a further team in this folder's installation, and prints its key, which is shown only this once. */
export async function makeTeam(argv: string[], projectRoot: string): Promise<void> {
  if (asksForHelp(argv)) return console.log(usage)
  await endWith(async () => {
    const { place, rest } = splitPlace(argv)
    const { name } = parseArgs({ args: rest, options: { name: { type: 'string' } } }).values
    if (!name?.trim()) throw new Refusal(`A team needs a name.\n${usage}`)
    const options = parseOptions(place, projectRoot, process.env)
    const args = ['--name', name, '--role', 'owner']
    const made = await withInstallation(options, (env) => runToEnd(options, 'api/dist/team.js', args, env))
    console.log(`Team ${made.teamId} (${name})\nKey  ${made.apiKey}\nThe key is shown only now.`)
    return 0
  })
}
