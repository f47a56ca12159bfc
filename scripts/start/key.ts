import { join } from 'node:path'
import { endWith } from './command.js'
import { withInstallation } from './installed.js'
import { asksForHelp, parseOptions, splitPlace } from './options.js'
import { runThrough } from './processes/run-to-end.js'

/** Lists, makes and revokes keys of this folder's installation, whether it runs or not; see api/src/key.ts. */
export function manageKeys(argv: string[], projectRoot: string): Promise<void> {
  return endWith(async () => {
    const { place, rest } = splitPlace(argv)
    const run = (env: Record<string, string>) => runThrough(join(projectRoot, 'api/dist/key.js'), rest, env)
    return asksForHelp(argv) ? run({}) : withInstallation(parseOptions(place, projectRoot, process.env), run)
  })
}
