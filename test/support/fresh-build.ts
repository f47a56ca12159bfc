import { spawnSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { isBundled } from '../../scripts/bundle.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The files in which a compiler notes what it compiled, and the folders that it took. */
export interface Part {
  note: string
  sources: readonly string[]
}

const part = (folder: string, { out = 'dist', sources = ['src'] } = {}): Part => ({
  note: join(root, folder, out, '.tsbuildinfo'),
  sources: sources.map((source) => join(root, folder, source)),
})

const client = part('chain/client')
const signer = part('signer')
const ALL = [
  ...[client, signer, part('chain/embedded'), part('api'), part('indexer', { out: 'lib' })],
  part('scripts', { sources: ['start', 'tour', 'bench', 'backup', 'doctor', 'network', 'council'] }),
]
/**
 * Tests of the api run its own sources, compiled neighbours, and its compiled threads, which may use any of its
 * sources.
 */
const OF_API = [client, signer, part('api')]

/**
 * Tests that run compiled output build it first where a source is newer: in an old build every fault survives. The
 * compiler makes its note as new as the sources also when nothing in them changed.
 * @throws with what the compiler says
 */
export default function setup({ name }: Pick<TestProject, 'name'>): void {
  if ((name === 'sharing' || name === 'apart' ? OF_API : ALL).every(isFresh) && isBundled()) return
  process.stdout.write('The build is older than its sources: building.\n')
  const { status, stdout } = spawnSync('npm', ['run', '--silent', 'build'], { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(`The build is older than its sources, and they do not compile:\n${stdout}`)
}

/** Tells whether the compiler has seen all sources as they are; tests are none. */
export function isFresh({ note, sources }: Part): boolean {
  const noted = statSync(note, { throwIfNoEntry: false })?.mtimeMs ?? 0
  return sources.every((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter(({ name }) => /\.m?ts$/.test(name) && !/(\.test|\.testing|^testing)\.ts$/.test(name))
      .filter(({ parentPath }) => !parentPath.endsWith('/testing') && !parentPath.includes('/dist'))
      .every(({ name, parentPath }) => statSync(join(parentPath, name)).mtimeMs <= noted),
  )
}
