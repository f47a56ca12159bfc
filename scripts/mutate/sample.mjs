// A sample of the mutants of all parts: whole parts take hours. Each mutant draws a lot from the seed, and those with
// the lowest are tried. The lot depends on nothing else, so that the processes of Stryker agree about who was drawn.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { Instrumenter } from '@stryker-mutator/instrumenter'
import { projectRoot } from '../prepare.mjs'
import { EXCLUDED_MUTATIONS, PARTS } from './parts.mjs'

/** `a/{b,c}.ts`: `a/b.ts`, `a/c.ts` */
export function alternatives(pattern) {
  const [, before = '', inside = '', after = ''] = /^([^{]*)\{([^}]*)\}(.*)$/.exec(pattern) ?? []
  return inside === '' ? [pattern] : inside.split(',').flatMap((one) => alternatives(before + one + after))
}

const SILENT = { debug() {}, info() {}, isDebugEnabled: () => false }

/** @returns the mutants that Stryker would try in a part */
export async function mutantsOf(part) {
  const files = PARTS[part].mutate.flatMap(alternatives).map((file) => {
    const name = join(projectRoot, file)
    return { name, mutate: true, content: readFileSync(name, 'utf8') }
  })
  const options = { excludedMutations: EXCLUDED_MUTATIONS, ignorers: [], plugins: null }
  const { mutants } = await new Instrumenter(SILENT).instrument(files, options)
  return mutants.filter(({ status }) => status !== 'Ignored').map((mutant) => ({ ...mutant, part }))
}

/** @returns the lot of a mutant; which folder the project lies in does not change it */
export function lotOf({ fileName, location, mutatorName, replacement }, seed) {
  const { start, end } = location
  const file = relative(projectRoot, fileName)
  const named = [seed, file, start.line, start.column, end.line, end.column, mutatorName, replacement]
  return createHash('sha256').update(JSON.stringify(named)).digest('hex')
}

/** @returns the `count` mutants with the lowest lots, and the highest lot among them */
export function draw(mutants, count, seed) {
  const drawn = mutants
    .map((mutant) => ({ ...mutant, lot: lotOf(mutant, seed) }))
    .sort((one, other) => (one.lot < other.lot ? -1 : 1))
    .slice(0, count)
  return { drawn, limit: drawn.at(-1)?.lot ?? '' }
}

/** Stryker's states of mutants that no test has to notice: no valid program, or here: not drawn. */
const NOT_TRIED = new Set(['CompileError', 'Ignored', 'RuntimeError'])

/**
 * @param report what Stryker's reporter `json` wrote
 * @returns how many were noticed of how many, and a line for each that no assertion noticed: those too that took too
 * long, which count as noticed
 */
export function resultsOf(report) {
  const tried = Object.entries(report.files).flatMap(([file, { mutants }]) =>
    mutants.filter(({ status }) => !NOT_TRIED.has(status)).map((mutant) => ({ file, ...mutant })),
  )
  const noticed = tried.filter(({ status }) => status === 'Killed' || status === 'Timeout').length
  const lines = tried
    .filter(({ status }) => status !== 'Killed')
    .map(
      ({ file, location: { start, end }, mutatorName, replacement, status }) =>
        `${status} ${file}:${start.line}:${start.column}-${end.line}:${end.column} ${mutatorName}: ${replacement}`,
    )
  return { tried: tried.length, noticed, lines }
}

/** A checker of Stryker's: it lets those pass that were drawn. */
class DrawnOnly {
  #drawn

  constructor(drawn = { seed: process.env.MUTATE_SEED, limit: process.env.MUTATE_LIMIT }) {
    this.#drawn = drawn
  }

  async init() {}

  async check(mutants) {
    const { seed, limit } = this.#drawn
    return Object.fromEntries(
      mutants.map((mutant) => [
        mutant.id,
        lotOf(mutant, seed) <= limit ? { status: 'passed' } : { status: 'compileError', reason: 'not drawn' },
      ]),
    )
  }

  async group(mutants) {
    return [mutants.map(({ id }) => id)]
  }
}

export const strykerPlugins = [{ kind: 'Checker', name: 'drawn-only', injectableClass: DrawnOnly }]
