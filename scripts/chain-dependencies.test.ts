import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { keepDependencies, takeDependencies } from './chain-dependencies.mjs'

const OURS = '0123456789abcdef'
const settings = { CARGO_INCREMENTAL: '0' }

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'accredit-chain-'))
  await program('rustc', 'rustc 1.0.0')
  await program('cargo', JSON.stringify({ packages: [{ name: 'pallet-did' }, { name: 'accredit-runtime' }] }))
  vi.stubEnv('PATH', `${join(folder, 'bin')}:${process.env.PATH}`)
  vi.stubEnv('XDG_CACHE_HOME', join(folder, 'cache'))
  vi.stubEnv('CARGO_TARGET_DIR', undefined)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(folder, { recursive: true, force: true })
})

/** A program that says one thing, whatever it is asked. */
async function program(name: string, answer: string): Promise<void> {
  await mkdir(join(folder, 'bin'), { recursive: true })
  await writeFile(join(folder, 'bin', name), `#!/bin/sh\necho '${answer}'\n`)
  await chmod(join(folder, 'bin', name), 0o755)
}

async function clone(name: string, lock = 'lock'): Promise<string> {
  const chain = join(folder, name)
  await mkdir(chain)
  await writeFile(join(chain, 'Cargo.toml'), '[workspace]')
  await writeFile(join(chain, 'Cargo.lock'), lock)
  return chain
}

/** A clone that has compiled one crate of others and one of ours. */
async function compiledClone(name: string, lock?: string): Promise<string> {
  const chain = await clone(name, lock)
  const write = async (path: string, text = name) => {
    const file = join(chain, 'target', 'debug', path)
    await mkdir(join(file, '..'), { recursive: true })
    await writeFile(file, text)
    await utimes(file, 1_000, 1_000)
  }
  await write(`.fingerprint/pallet-balances-${OURS}/hash`)
  await write(`.fingerprint/pallet-did-${OURS}/hash`)
  await write(`build/libc-${OURS}/output`)
  await write(`build/accredit-runtime-${OURS}/output`)
  await write(`deps/libpallet_balances-${OURS}.rlib`)
  await write(`deps/libpallet_did-${OURS}.rlib`)
  await write(`deps/pallet_did-${OURS}`)
  await write('pallet_did.d')
  return chain
}

const compiledIn = async (chain: string): Promise<string[]> =>
  (await readdir(join(chain, 'target', 'debug'), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(join(chain, 'target', 'debug').length + 1))
    .sort()

test('a second clone begins with the dependencies of the first, as old as they were, and with nothing of ours', async () => {
  await keepDependencies(await compiledClone('first'), settings)
  const second = await clone('second')
  await takeDependencies(second, settings)
  const library = `deps/libpallet_balances-${OURS}.rlib`
  expect(await compiledIn(second)).toEqual([
    `.fingerprint/pallet-balances-${OURS}/hash`,
    `build/libc-${OURS}/output`,
    library,
  ])
  expect((await stat(join(second, 'target', 'debug', library))).mtimeMs).toBe(1_000_000)
  expect(await readdir(second)).toEqual(['Cargo.lock', 'Cargo.toml', 'target'])
})

test('a file that a clone writes into its copy is in no other', async () => {
  await keepDependencies(await compiledClone('first'), settings)
  const [second, third] = [await clone('second'), await clone('third')]
  await takeDependencies(second, settings)
  const output = join('target', 'debug', 'build', `libc-${OURS}`, 'output')
  await writeFile(join(second, output), 'spoilt')
  await takeDependencies(third, settings)
  expect(await readFile(join(third, output), 'utf8')).toBe('first')
})

test.each([
  ['lock', 'another lock', 'rustc 1.0.0', settings],
  ['compiler', 'lock', 'rustc 1.0.1', settings],
  ['setting', 'lock', 'rustc 1.0.0', { CARGO_INCREMENTAL: '1' }],
])(
  'dependencies of another %s are left alone, and make room for those that are kept next',
  async (_, lock, version, own) => {
    await keepDependencies(await compiledClone('first'), settings)
    await program('rustc', version)
    const second = await clone('second', lock)
    await takeDependencies(second, own)
    expect(existsSync(join(second, 'target'))).toBe(false)
    await keepDependencies(await compiledClone('third', lock), own)
    expect(await readdir(join(folder, 'cache', 'accredit'))).toHaveLength(1)
    await takeDependencies(second, own)
    expect(await readFile(join(second, 'target', 'debug', 'build', `libc-${OURS}`, 'output'), 'utf8')).toBe('third')
  },
)

test('a clone that has compiled before keeps what it has', async () => {
  await keepDependencies(await compiledClone('first'), settings)
  const second = await compiledClone('second')
  await takeDependencies(second, settings)
  expect(await compiledIn(second)).toContain(`deps/pallet_did-${OURS}`)
})

test('a clone without kept dependencies, or with a folder of its own for what cargo compiles, begins with nothing', async () => {
  const first = await clone('first')
  await takeDependencies(first, settings)
  expect(await readdir(first)).toEqual(['Cargo.lock', 'Cargo.toml'])
  await keepDependencies(await compiledClone('second'), settings)
  vi.stubEnv('CARGO_TARGET_DIR', join(folder, 'elsewhere'))
  await takeDependencies(first, settings)
  expect(await readdir(first)).toEqual(['Cargo.lock', 'Cargo.toml'])
})

test('a cache that cannot be written keeps nothing and stops nobody', async () => {
  await writeFile(join(folder, 'cache'), 'no folder')
  await keepDependencies(await compiledClone('first'), settings)
  const second = await clone('second')
  await takeDependencies(second, settings)
  expect(existsSync(join(second, 'target'))).toBe(false)
})
