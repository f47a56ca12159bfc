// Joins the modules of each process into a few files, in the place of the entries that the compiler wrote: half of the
// processor time of a process that lives for seconds goes into finding and reading thousands of modules.
import { existsSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const script = fileURLToPath(import.meta.url)
const root = dirname(dirname(script))
/** It is as old as the beginning of the last joining. */
const note = join(root, 'scripts', 'dist', '.bundled')

/** The processes and commands of each room. The code of its threads is found by its name. */
const ENTRIES = {
  api: ['main', 'worker', 'migrate', 'team', 'key', 'bounce', 'after-restore', 'check-journal'],
  signer: ['main'],
  'chain/embedded': ['main'],
}

/** Packages that read files of theirs beside their code, run it in threads, or are native; and what they share with us. */
const LEFT_OUT = [
  ...['@node-rs/argon2', '@docknetwork/crypto-wasm-ts', '@mattrglobal/bbs-signatures', '@scalar/fastify-api-reference'],
  ...['@digitalbazaar/citizenship-context', '@digitalbazaar/credentials-context', 'bufferutil', 'utf-8-validate'],
  ...['bullmq', 'ioredis', 'pg', 'pino', 'piscina', 'prom-client'],
  // Few processes load them.
  ...['@opentelemetry', 'nodemailer'],
]

/** Returns the place, below the project's folder, of what the compiler makes of a source. */
const compiledOf = (path) =>
  relative(root, path)
    .split(sep)
    .join('/')
    .replace(/^((?:chain\/)?[^/]+)\/src\/(.*)\.ts$/, '$1/dist/$2.js')

/** A module finds files beside itself: it is told where the compiler put it. */
const placeOfModules = (room) => ({
  name: 'place-of-modules',
  transform: {
    filter: { id: { exclude: '**/node_modules/**' }, code: 'import.meta.url' },
    handler(code, id) {
      const place = JSON.stringify(`$1/${compiledOf(id)}`)
      const joined = `/^(.*)\\/${room.replace('/', '\\/')}\\/dist\\/.*$/`
      return { code: code.replaceAll('import.meta.url', `import.meta.url.replace(${joined}, ${place})`), map: null }
    },
  },
})

/** The time for which files that are no longer made are kept: a day. */
const KEPT_MS = 86_400_000

const threadsOf = (room) =>
  readdirSync(join(root, room, 'src'), { recursive: true })
    .filter((name) => name.endsWith('.worker.ts'))
    .map((name) => name.slice(0, -'.ts'.length))

async function bundle(room, entries) {
  // The package may be missing where somebody only asks whether there is something to do.
  const { build } = await import('rolldown')
  const [src, dist] = [join(root, room, 'src'), join(root, room, 'dist')]
  await build({
    input: Object.fromEntries([...entries, ...threadsOf(room)].map((name) => [name, join(src, `${name}.ts`)])),
    platform: 'node',
    external: new RegExp(`^(${LEFT_OUT.join('|')})(/|$)`),
    plugins: [placeOfModules(room)],
    logLevel: 'warn',
    output: {
      dir: dist,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: 'chunks/[name]-[hash].js',
      sourcemap: true,
      sourcemapExcludeSources: true,
    },
  })
  // A process that runs meanwhile may still load what an earlier joining has made.
  for (const name of readdirSync(join(dist, 'chunks')))
    if (timeOf(join(dist, 'chunks', name)) < Date.now() - KEPT_MS) rmSync(join(dist, 'chunks', name))
}

const timeOf = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
/** Joining needs a later Node than the product: on an earlier one each process finds its modules by itself. */
const canJoin = major > 22 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19)

const compiledNote = (room) => join(root, room, 'dist', '.tsbuildinfo')

/** Lets the compiler write anew what a later Node has joined here, where this one cannot join it again. */
export function forgetJoined() {
  if (canJoin || !existsSync(note)) return
  for (const room of Object.keys(ENTRIES)) rmSync(compiledNote(room), { force: true })
  rmSync(note)
}

/** Tells whether the compiler has written nothing, and npm has installed nothing, since modules were joined, or they stay as they are. */
export function isBundled() {
  if (!canJoin) return true
  const rooms = [...Object.keys(ENTRIES), 'chain/process', 'chain/client']
  const compiled = rooms.map(compiledNote)
  const joined = statSync(note, { throwIfNoEntry: false })?.mtimeMs ?? 0
  return [...compiled, join(root, 'node_modules', '.package-lock.json'), script].every((path) => timeOf(path) < joined)
}

if (process.argv[1] === script && canJoin) {
  const begun = new Date()
  for (const [room, entries] of Object.entries(ENTRIES)) await bundle(room, entries)
  writeFileSync(note, '')
  utimesSync(note, begun, begun)
}
