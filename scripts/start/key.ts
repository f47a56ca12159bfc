import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { withInstallation } from './installed.js'
import { asksForHelp, parseOptions } from './options.js'
import { runThrough } from './processes/run-to-end.js'
import { messageOf } from './refusal.js'

/** Lists, makes and revokes keys of the installation that lives here, whether it runs or not; see api/src/key.ts. */
export async function manageKeys(argv: string[], projectRoot: string): Promise<void> {
  try {
    const { place, rest } = split(argv)
    const run = (env: Record<string, string>) => runThrough(join(projectRoot, 'api/dist/key.js'), rest, env)
    if (asksForHelp(argv)) process.exitCode = await run({})
    else process.exitCode = await withInstallation(parseOptions(place, projectRoot, process.env), run)
  } catch (error) {
    console.error(messageOf(error))
    process.exitCode = 1
  }
}

/** What says which installation is meant, and all the rest. */
function split(argv: string[]): { place: string[]; rest: string[] } {
  const options = { env: { type: 'string' }, state: { type: 'string' } } as const
  const { tokens } = parseArgs({ args: argv, options, strict: false, allowPositionals: true, tokens: true })
  const place: string[] = []
  const taken = new Set<number>()
  for (const token of tokens) {
    if (token.kind !== 'option' || (token.name !== 'env' && token.name !== 'state')) continue
    place.push(token.value === undefined ? token.rawName : `${token.rawName}=${token.value}`)
    taken.add(token.index)
    if (token.value !== undefined && !token.inlineValue) taken.add(token.index + 1)
  }
  return { place, rest: argv.filter((_, index) => !taken.has(index)) }
}
