import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { capabilities } from './capabilities.js'

const root = fileURLToPath(new URL('.', import.meta.url))

/** The layers from the lowest to the highest. A layer may import lower ones, never higher ones. */
const LAYERS = ['plans', 'settings', 'config', 'platform', 'ledger', 'formats', 'status', 'capability']
const ORDER = [...LAYERS, ...capabilities.map(({ name }) => name)]
/** The processes and the files that build them stand above all layers. */
const TOP = new Set([
  'main',
  'worker',
  'app',
  'migrate',
  'team',
  'key',
  'bounce',
  'environment',
  'capabilities',
  'effects',
  'runners',
  'order',
  'broken-statements',
  'declared-members',
  'indexes',
  'body-costs',
  'after-restore',
  'check-journal',
])

const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
const files = filesOf(root)
/** The tests, and the files that build their worlds. */
const isForTests = (file: string): boolean => /[./]test(?:ing)?\.ts$|\/testing\//.test(`/${file}`)

const roomOf = (file: string): string => (file.split(sep)[0] ?? '').replace(/(\.test)?\.ts$/, '')

function importsOf(file: string, folder = root): string[] {
  const text = readFileSync(join(folder, file), 'utf8')
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, path = '']) =>
    relative(folder, join(folder, file, '..', path)).replace(/\.js$/, ''),
  )
}

/** Returns the circles of imports, each as the way back to the file that it begins at. */
function circles(folder: string, names: readonly string[]): string[] {
  const imports = new Map(names.map((name) => [name.replace(/\.ts$/, ''), importsOf(name, folder)]))
  const found: string[] = []
  const done = new Set<string>()
  const visit = (file: string, way: readonly string[]): void => {
    const begun = way.indexOf(file)
    if (begun >= 0) found.push([...way.slice(begun), file].join(' > '))
    if (begun >= 0 || done.has(file)) return
    for (const next of imports.get(file) ?? []) visit(next, [...way, file])
    done.add(file)
  }
  for (const file of imports.keys()) visit(file, [])
  return found
}

/** Returns what a process that begins with this file has in memory: our files, and the packages that they import. */
function loadedBy(file: string, loaded = new Set<string>()): Set<string> {
  if (loaded.has(file)) return loaded
  loaded.add(file)
  const text = readFileSync(join(root, file), 'utf8')
  for (const [, path = ''] of text.matchAll(/^(?:import|export) (?!type )(?:[^']*?from )?'([^']+)'/gm))
    if (path.startsWith('.')) loadedBy(join(file, '..', path.replace(/\.js$/, '.ts')), loaded)
    else loaded.add(path)
  return loaded
}

test('every file stands in a room that has a place in the order', () => {
  const rooms = new Set(files.map(roomOf))
  expect([...rooms].filter((room) => !ORDER.includes(room) && !TOP.has(room))).toEqual([])
})

test('no two capabilities have a name, a kind of job or an event in common', () => {
  const told = [
    capabilities.map(({ name }) => name),
    capabilities.flatMap(({ jobs = {} }) => Object.keys(jobs)),
    capabilities.flatMap(({ events = [] }) => events),
  ]
  for (const names of told) expect(names).toEqual([...new Set(names)])
})

test('imports go down only: capability, status, formats, ledger, platform; later capabilities use earlier ones', () => {
  const wrong = files
    .filter((file) => !isForTests(file) && !TOP.has(roomOf(file)))
    .flatMap((file) => importsOf(file).map((path) => ({ file, path, from: roomOf(file), to: roomOf(path) })))
    .filter(({ from, to }) => TOP.has(to) || ORDER.indexOf(to) > ORDER.indexOf(from))
    .map(({ file, path }) => `${file} imports ${path}`)
  expect(wrong).toEqual([])
})

test('no two files import each other in a circle, not even their types', () => {
  expect(circles(root, files)).toEqual([])
  const signer = join(root, '..', '..', 'signer', 'src')
  expect(circles(signer, filesOf(signer))).toEqual([])
})

test('the worker loads no operation, and nothing that only operations need: HTTP, the types of the ledger', () => {
  const loaded = loadedBy('worker.ts')
  expect([...loaded]).toEqual(expect.arrayContaining(['effects.ts', '@accredit/chain/did', 'kysely']))
  for (const other of ['platform/http/operation.ts', 'fastify', '@accredit/chain']) expect(loaded).not.toContain(other)
})

test('the HTTP service loads no queue', () => {
  const loaded = loadedBy('main.ts')
  expect([...loaded]).toEqual(expect.arrayContaining(['app.ts', 'fastify']))
  expect(loaded).not.toContain('bullmq')
})

test('nothing but the configuration reads the environment', () => {
  const allowed = new Set(['main', 'worker', 'migrate', 'team', 'key', 'bounce', 'after-restore'])
  const readers = files.filter((file) => /process\.env/.test(readFileSync(join(root, file), 'utf8')))
  expect(readers.filter((file) => !allowed.has(roomOf(file)) && !isForTests(file))).toEqual([])
})

/** The tables of the index, by their names in its types. */
const INDEX_TABLES = [
  ...(
    readFileSync(join(root, 'ledger/read/index-tables.ts'), 'utf8').split('interface LedgerTables {')[1] ?? ''
  ).matchAll(/^ {2}(\w+): /gm),
].map(([, name]) => name)

test('nothing outside ledger/read names schema ledger in SQL, or knows the types of its tables', () => {
  expect(INDEX_TABLES).toEqual(expect.arrayContaining(['block', 'finality', 'status_bit']))
  const inSql = /\b(?:from|join|update|into|using)\s+ledger\.\w|,\s*ledger\.\w+ \w|`ledger\.\$|\(\s*'ledger\.\w/i
  const ofTables = new RegExp(
    String.raw`from '[^']*/index-tables\.js'|\bIndexReader\b|\bselectFrom\('(?:${INDEX_TABLES.join('|')})[' ]`,
  )
  const wrong = files
    .filter((file) => !file.startsWith(join('ledger', 'read')) && !isForTests(file))
    .filter((file) => {
      const text = readFileSync(join(root, file), 'utf8')
      return inSql.test(text) || ofTables.test(text)
    })
  expect(wrong).toEqual([])
})

test('no file is longer than 300 lines, tests aside', () => {
  const long = files.filter(
    (file) => !file.endsWith('.test.ts') && readFileSync(join(root, file), 'utf8').split('\n').length > 301,
  )
  expect(long).toEqual([])
})
