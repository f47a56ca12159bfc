// npm run build compiles every room, and joins the modules of each process.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { forgetJoined } from './bundle.mjs'
import { asksForHelp, projectRoot } from './prepare.mjs'

const STEPS = [['node_modules/typescript/bin/tsc', '-b', '.', 'indexer'], ['scripts/bundle.mjs']]

if (asksForHelp())
  console.log('npm run build\n  Compiles every room, and joins the modules of each process into a few files.')
else {
  forgetJoined()
  for (const [script, ...argv] of STEPS) {
    const { status } = spawnSync(process.execPath, [join(projectRoot, script), ...argv], {
      cwd: projectRoot,
      stdio: 'inherit',
    })
    if (status !== 0) process.exit(status ?? 1)
  }
}
