// npm run check finds every fault that shows without running anything.
import { join } from 'node:path'
import { asksForHelp, COMPILER_OPTIONS, projectRoot } from './prepare.mjs'
import { run } from './runner.mjs'

const bin = (name) => join(projectRoot, 'node_modules', '.bin', name)

if (asksForHelp()) {
  console.log(`npm run check
  Format and lint (biome), dead code (knip), the order and size of rooms (vitest), and the types of everything, the tests too.
  npm test does the same, and more.
  npx biome check --write mends format, and what lint can mend.`)
  process.exit(0)
}
for (const [command, args] of [
  [bin('biome'), ['check', '.']],
  [bin('knip'), []],
  [bin('vitest'), ['run', '--project', 'structure']],
  ['npm', ['run', '--silent', 'check-types', '--', ...COMPILER_OPTIONS]],
]) {
  const { code } = await run(command, args)
  if (code !== 0) process.exit(code)
}
