import { join } from 'node:path'
import { endWith } from './command.js'
import { withInstallation } from './installed.js'
import { asksForHelp, parseOptions, splitPlace } from './options.js'
import { runThrough } from './processes/run-to-end.js'

/** Notes in this folder's installation that a mail came back, as the standard input tells; see api/src/bounce.ts. */
export function noteBounce(argv: string[], projectRoot: string): Promise<void> {
  return endWith(async () => {
    const { place, rest } = splitPlace(argv)
    const run = (env: Record<string, string>) => runThrough(join(projectRoot, 'api/dist/bounce.js'), rest, env)
    return asksForHelp(argv) ? run({}) : withInstallation(parseOptions(place, projectRoot, process.env), run)
  })
}
