import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative, sep } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { CHECK_SCRIPT } from './check-script.js'

/** The verifier and the libraries that it stands on, as modules that browsers load as they are. */
export interface VerifierFiles {
  /** The text of each module, by its path below `verifier/`. */
  readonly texts: ReadonlyMap<string, string>
  /** An import map (HTML, 8.1.6): the names by which modules import others that are not beside them. */
  readonly importMap: { readonly imports: Readonly<Record<string, string>> }
}

/** The name under which the script of the page imports the verifier. */
const ENTRY = '@accredit/chain/proof'
const SCRIPT_NAME = 'check.js'
const COMMENTS = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm
const IMPORTS = /\b(?:from|import)\s*['"]([^'"]+)['"]/g

let found: VerifierFiles | undefined

/** Returns the files, which are read once, when somebody opens a page that needs them. */
export function verifierFiles(): VerifierFiles {
  found ??= collect()
  return found
}

/**
 * Follows the imports of the verifier. Nothing is bundled: what runs in a browser is what `npm run verify-proof` runs,
 * file by file, and its reader can compare them.
 */
function collect(): VerifierFiles {
  const entry = createRequire(import.meta.url).resolve(ENTRY)
  const texts = new Map([[SCRIPT_NAME, CHECK_SCRIPT]])
  const imports: Record<string, string> = { [ENTRY]: `../verifier/${pathOf(entry, entry)}` }
  const waiting = [entry]
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    const path = pathOf(file, entry)
    if (texts.has(path)) continue
    const text = readFileSync(file, 'utf8')
    texts.set(path, text)
    for (const [, name = ''] of text.replace(COMMENTS, '').matchAll(IMPORTS)) {
      const target = name.startsWith('.') ? join(dirname(file), name) : moduleOf(name, entry)
      if (!name.startsWith('.')) imports[name] = `../verifier/${pathOf(target, entry)}`
      waiting.push(target)
    }
  }
  return { texts, importMap: { imports } }
}

/** Returns the file of a library's module for browsers, which stands in the folder `esm` of its package. */
function moduleOf(name: string, importer: string): string {
  const file = createRequire(importer).resolve(name)
  const forNode = /^(.+)Node\.js$/.exec(basename(file))
  return join(dirname(file), 'esm', forNode ? `${forNode[1]}.js` : basename(file))
}

function pathOf(file: string, entry: string): string {
  const within = relative(dirname(entry), file)
  if (!within.startsWith('..')) return `proof/${within.split(sep).join('/')}`
  const [, library = '', rest = ''] = /@noble[\\/]([a-z]+)[\\/]esm[\\/](.+)$/.exec(file) ?? []
  if (library === '') throw new Error(`the verifier imports ${file}, which is neither its own nor of @noble`)
  return `${library}/${rest.split(sep).join('/')}`
}

export function serveVerifier(app: FastifyInstance): void {
  app.get<{ Params: { '*': string } }>('/verifier/*', { config: { name: 'verifier' } }, async (request, reply) => {
    const text = verifierFiles().texts.get(request.params['*'])
    if (text === undefined) return reply.callNotFound()
    return reply
      .headers({ 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'public, max-age=3600' })
      .type('text/javascript; charset=utf-8')
      .send(text)
  })
}
