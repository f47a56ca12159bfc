import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { filesBelow, root } from './support/repository-files.js'

/** Words in READMEs that look like paths of the repository and are none. */
const EXCEPTIONS: readonly [reason: string, names: RegExp][] = [
  [
    'made when it runs',
    /^\.accredit\/|^roles\.sql$|^chain\/target$|^\.\.\/copy$|^(?:\.\.\/|copies\/)?erasures\.jsonl$/,
  ],
  ['made with a network', /^(?:network|specification)\.json$|^keys\/(?:council-1|validator-1)\.key$|^nodes\/<name>$/],
  ['a media type', /^(?:application|text)\/[\w.+-]+$/],
  ['an image of containers', /^prom\/prometheus$/],
  ['a package, or a file of one', /^@|^build\/modules\//],
  ['an address of the HTTP service', /^(?:<api>)?\//],
]

const files = filesBelow('')
const textOf = (file: string): string => readFileSync(join(root, file), 'utf8')
const readmes = files.filter((file) => file.split('/').at(-1) === 'README.md')

/** All files and folders, each also from any of its folders on, and without its extensions. */
const known = new Set<string>()
for (const file of files) {
  const parts = file.split('/')
  for (let end = 1; end <= parts.length; end += 1)
    for (let begin = 0; begin < end; begin += 1) {
      const path = parts.slice(begin, end).join('/')
      known.add(path)
      for (const { index } of path.matchAll(/(?<=[^/])\.(?=[^/]*$)/g)) known.add(path.slice(0, index))
    }
}
const allKnown = [...known]

const DRAWN = /```.*?```/gs
const FILE = /\.(?:tsx?|mjs|js|md|sql|jsonl?|rs|toml|ya?ml|graphql|wasm)$/
const FOLDERS = /^[\w.@<>{},*-]+(?:\/[\w.@<>{},*-]+)+\/?$|^[a-z][\w-]*\/$/
const HYPHENATED = /^[a-z]+(?:-[a-z0-9]+)+$/

/** The names of files and folders that a README tells: in backticks, and in what it draws. */
function pathsIn(readme: string): string[] {
  const text = textOf(readme)
  const drawn = (text.match(DRAWN) ?? []).flatMap((block) => block.split(/[\s:,;()]+/))
  const quoted = [...text.replace(DRAWN, '').matchAll(/`([^`\n]+)`/g)].flatMap(([, words = '']) => words.split(' '))
  // In the rooms of the service a hyphenated name is a file's.
  const inRooms = readme.startsWith('api/src/')
  return [...new Set([...drawn, ...quoted].map((word) => word.replace(/[.,;]$/, '')))].filter(
    (word) => FILE.test(word) || FOLDERS.test(word) || (inRooms && HYPHENATED.test(word)),
  )
}

/** A compiled file stands for its source; `*`, `<name>` and `{a,b}` for whatever there is. */
function exists(path: string): boolean {
  const source = path
    .replace(/\/$/, '')
    .replace(/^scripts\/dist\/(.*)\.js$/, 'scripts/$1.ts')
    .replace(/\/(?:dist|lib)\/(.*)\.js$/, '/src/$1.ts')
  if (!/[*<{]/.test(source)) return known.has(source)
  const pattern = source
    .replace(/\./g, '\\.')
    .replace(/\{([^}]*)\}/g, (_, names: string) => `(?:${names.replaceAll(',', '|')})`)
    .replace(/\*|<\w+>/g, '[^/]+')
  const wanted = new RegExp(`^${pattern}$`)
  return allKnown.some((one) => wanted.test(one))
}

test('every file and folder that a README names exists', () => {
  expect(readmes.length).toBeGreaterThan(10)
  expect(pathsIn('api/src/ecosystems/README.md')).toContain('participants/update-participant')
  const wrong = readmes.flatMap((readme) =>
    pathsIn(readme)
      .filter((path) => !exists(path) && !EXCEPTIONS.some(([, names]) => names.test(path)))
      .map((path) => `${readme} names ${path}`),
  )
  expect(wrong).toEqual([])
})

test('every room of the service has a README that draws a path through it', () => {
  const rooms = readdirSync(join(root, 'api', 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory())
  expect(rooms.length).toBeGreaterThan(10)
  const withPath = readmes.filter((readme) => textOf(readme).match(DRAWN))
  expect(rooms.filter(({ name }) => !withPath.includes(`api/src/${name}/README.md`)).map(({ name }) => name)).toEqual(
    [],
  )
})

test('every exception stands in a README', () => {
  const named = readmes.flatMap(pathsIn)
  expect(EXCEPTIONS.filter(([, names]) => !named.some((path) => names.test(path) && !exists(path)))).toEqual([])
})

test('no file refers to papers that are not in the repository', () => {
  const paper = /(?<![\w/.-])(?:spec|api|ledger|architecture|style|credentials)\.md\b/
  const sources = files.filter((file) => /\.(?:ts|mjs|js|rs|sql|md|graphql)$/.test(file))
  expect(sources.filter((file) => paper.test(textOf(file)))).toEqual([])
})
