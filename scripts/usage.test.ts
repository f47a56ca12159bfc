import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

test.each([
  ['start', 'main', 'main', 'npm start -- [options]'],
  ['key', 'key', 'manageKeys', 'npm run key -- list'],
  ['team', 'team', 'makeTeam', 'npm run team -- --name NAME'],
])('npm run %s tells its usage to who asks for it, and that is no failure', async (_command, file, command, usage) => {
  const program = `import('./scripts/dist/start/${file}.js').then((all) => all.${command}(['--help'], '.'))`
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['-e', program])
  expect([stdout.slice(0, usage.length), stderr]).toEqual([usage, ''])
})
