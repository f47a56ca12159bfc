import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import jsonld from 'jsonld'
import { expect, it } from 'vitest'
import { asArray, isObject, type Json } from '../../json.js'
import { documentLoader, NO_EXTRA_CONTEXTS } from './document-loader.js'
import { KNOWN_CONTEXTS, LARGE_KNOWN_CONTEXTS } from './known-contexts.js'

const folder = new URL('../../../../contexts/', import.meta.url)
const read = (file: string) => readFileSync(new URL(file, folder), 'utf8')

const files = readdirSync(folder).filter((file) => file.endsWith('.jsonld'))
it.each(files)('the context kept as the file %s has the digest that is named beside its source', (file) => {
  const digest = createHash('sha256').update(read(file)).digest('hex')
  const line = read('README.md')
    .split('\n')
    .find((text) => text.startsWith(`| \`${file}\` |`))
  expect(line).toContain(digest)
})

const SMALL = 8192
it('those that are large are known as such', () => {
  const large = [...KNOWN_CONTEXTS].filter(([, document]) => JSON.stringify(document).length > SMALL)
  expect(large.map(([url]) => url)).toEqual(LARGE_KNOWN_CONTEXTS)
})

const options = { base: null, documentLoader: documentLoader(NO_EXTRA_CONTEXTS), safe: true } as const

/** Terms below others may define anew what is protected further up, which is no matter here. */
const unprotected = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(unprotected)
  if (!isObject(value)) return value
  const members = Object.entries(value).filter(([name]) => name !== '@protected')
  return Object.fromEntries(members.map(([name, inner]) => [name, unprotected(inner)]))
}

/** Returns the meaning of each term, as the library reads it, also below other terms. */
async function meanings(context: Json, outer: unknown = null): Promise<[iri: string, name: string][]> {
  const active = await jsonld.processContext(
    outer ?? (await jsonld.processContext(null, null, options)),
    context,
    options,
  )
  const found: [string, string][] = []
  for (const [name, mapping] of active.mappings) {
    if (!isObject(mapping) || typeof mapping['@id'] !== 'string') continue
    found.push([mapping['@id'], name])
    const isOwn = asArray(context).some((part) => isObject(part) && name in part)
    if (isOwn && '@context' in mapping) found.push(...(await meanings(mapping['@context'] ?? null, active)))
  }
  return found
}

it('none of them calls a claim otherwise than another one does', async () => {
  const names = new Map<string, Set<string>>()
  for (const { '@context': context = null } of KNOWN_CONTEXTS.values())
    for (const [iri, name] of await meanings(unprotected(context)))
      names.set(iri, (names.get(iri) ?? new Set()).add(name))
  expect(names.size).toBeGreaterThan(3000)
  const renamed = [...names].filter(([, all]) => all.size > 1).map(([iri, all]) => [iri, [...all].sort()])
  expect(renamed.sort()).toEqual([
    ['@id', ['id', 'uid']],
    ['http://purl.org/dc/terms/', ['dc', 'dct']],
    ['https://w3id.org/security#expiration', ['expiration', 'expires']],
  ])
})
