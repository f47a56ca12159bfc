// The chain's dependencies take minutes to compile and are the same in every clone: the first clone keeps them in the
// user's cache, later ones begin with a copy. They do not share one folder: cargo names what it compiles of ours
// without the clone's place, so that the tests of one clone would run another one's code.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)

const KEPT = ['.fingerprint', 'build', 'deps']
const PREFIX = 'chain-dependencies-'

const cacheFolder = () => join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'accredit')

/** Tells where dependencies are kept that belong to this compiler, these locked versions and these settings. */
async function keptFolder(chain, settings) {
  const hash = createHash('sha256')
    .update((await execute('rustc', ['-vV'])).stdout)
    .update(JSON.stringify(settings))
  for (const file of ['Cargo.lock', 'Cargo.toml']) hash.update(await readFile(join(chain, file)))
  return join(cacheFolder(), PREFIX + hash.digest('hex').slice(0, 12))
}

/** Takes kept dependencies into a clone that has compiled nothing yet. Without them it compiles them. */
export async function takeDependencies(chain, settings) {
  const target = join(chain, 'target')
  if (process.env.CARGO_TARGET_DIR || existsSync(target)) return
  await makeWhole(target, async (unfinished) => copy(join(await keptFolder(chain, settings), 'target'), unfinished))
}

/** Keeps what a clone has compiled of its dependencies, in the place of older ones, unless they are kept already. */
export async function keepDependencies(chain, settings) {
  const compiled = join(chain, 'target', 'debug')
  const kept = await keptFolder(chain, settings)
  if (process.env.CARGO_TARGET_DIR || existsSync(kept) || !existsSync(compiled)) return
  const ours = await ownCrates(chain)
  await makeWhole(kept, async (unfinished) => {
    const debug = join(unfinished, 'target', 'debug')
    await mkdir(debug, { recursive: true })
    for (const name of await readdir(cacheFolder()))
      if (name.startsWith(PREFIX) && join(cacheFolder(), name) !== unfinished)
        await rm(join(cacheFolder(), name), { recursive: true })
    for (const folder of KEPT) {
      await link(join(compiled, folder), join(debug, folder))
      for (const name of await readdir(join(debug, folder)))
        if (ours.test(name)) await rm(join(debug, folder, name), { recursive: true })
    }
  })
}

/** Matches the names of files and folders that belong to a crate of ours. */
async function ownCrates(chain) {
  const command = ['metadata', '--no-deps', '--offline', '--format-version=1', '--manifest-path']
  const { stdout } = await execute('cargo', [...command, join(chain, 'Cargo.toml')])
  const { packages } = JSON.parse(stdout)
  return new RegExp(`^(lib)?(${packages.map(({ name }) => name.replaceAll('-', '[-_]')).join('|')})-[0-9a-f]{16}`)
}

/** Makes a folder beside its place and renames it. Nothing depends on it: what cannot be made is left out. */
async function makeWhole(folder, make) {
  const unfinished = `${folder}.${process.pid}`
  try {
    await make(unfinished)
    await rename(unfinished, folder)
  } catch {
    await rm(unfinished, { recursive: true, force: true }).catch(() => {})
  }
}

/** Keeps the times of files, by which cargo tells what is fresh. */
const copy = (from, to) => execute('cp', ['-a', from, to])

/** Shares the files where the system can: cargo replaces what it compiles again. */
async function link(from, to) {
  try {
    await execute('cp', ['-al', from, to])
  } catch {
    await rm(to, { recursive: true, force: true })
    await copy(from, to)
  }
}
