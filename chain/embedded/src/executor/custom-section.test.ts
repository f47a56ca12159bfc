import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { compiledSection } from '../testing/compiled-section.js'
import { customSection } from './custom-section.js'
import { versionSectionOf, wasmOf } from './wasm.js'

const PREAMBLE = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]

/** A number in LEB128; more bytes than it needs are no fault. */
function leb(value: number, atLeast = 1): number[] {
  const more = value >= 0x80 || atLeast > 1
  return more ? [(value % 0x80) | 0x80, ...leb(Math.floor(value / 0x80), atLeast - 1)] : [value]
}
const section = (id: number, content: readonly number[]) => [id, ...leb(content.length), ...content]
const custom = (name: string, content: readonly number[]) =>
  section(0, [...leb(name.length), ...Buffer.from(name), ...content])
const moduleOf = (...sections: number[][]) => Uint8Array.from([...PREAMBLE, ...sections.flat()])

test.each(['accredit_runtime.compact.compressed.wasm', 'testing/next.wasm'])(
  'the version of %s is what a compiler finds',
  (name) => {
    const wasm = wasmOf(readFileSync(new URL(`../../../artifact/${name}`, import.meta.url)))
    const found = compiledSection(wasm, 'runtime_version')
    expect(found?.length).toBeGreaterThan(20)
    expect(versionSectionOf(wasm)).toEqual(found)
  },
)

test('the first section of a name counts, and a length may have more bytes than it needs', () => {
  const filling = section(1, [0])
  expect(customSection(moduleOf(filling, custom('a', [1]), custom('b', [2, 3]), custom('b', [4])), 'b')).toEqual(
    Uint8Array.of(2, 3),
  )
  expect(customSection(moduleOf([0, ...leb(3, 5), 1, 0x61, 9]), 'a')).toEqual(Uint8Array.of(9))
  expect(customSection(moduleOf(custom('ab', [1]), custom('', [2])), 'a')).toBeUndefined()
  expect(customSection(moduleOf(), 'a')).toBeUndefined()
})

describe('a module of a lying node', () => {
  const LYING: [string, Uint8Array, RegExp][] = [
    ['with another beginning', Uint8Array.of(0, 0x61, 0x73, 0x6d, 2, 0, 0, 0), /no WebAssembly module/],
    ['of no bytes', Uint8Array.of(), /no WebAssembly module/],
    ['with a section without a size', moduleOf([1]), /ends beyond it/],
    ['with a section that is longer than it', moduleOf([0, 5, 1, 0x61]), /ends beyond it/],
    ['with a section of 4 GiB', moduleOf([1, 0xff, 0xff, 0xff, 0xff, 0x0f]), /ends beyond it/],
    ['with a size of six bytes', moduleOf([1, 0x80, 0x80, 0x80, 0x80, 0x80, 0]), /ends beyond it/],
    ['with a name that is longer than its section', moduleOf(section(0, [4, 0x61]), [0, 0]), /ends beyond it/],
    ['with a custom section without a name', moduleOf(section(0, [])), /ends beyond it/],
  ]
  test.each(LYING)('%s is refused', (_, wasm, why) => {
    expect(() => customSection(wasm, 'a')).toThrow(why)
  })

  test('with more sections than a runtime has is refused', () => {
    const all = (count: number) => Uint8Array.from([...PREAMBLE, ...Array(count).fill([0, 1, 0]).flat()])
    expect(customSection(all(1_000), 'a')).toBeUndefined()
    expect(() => customSection(all(1_001), 'a')).toThrow('it has more than 1000 sections')
  })

  test('is not compiled: code is stepped over that no compiler takes', () => {
    const code = [section(1, [1, 0x60, 0, 0]), section(3, [1, 0]), section(10, [1, 2, 0, 0xff])]
    const wasm = moduleOf(...code, custom('runtime_version', [7]))
    expect(() => compiledSection(wasm, 'runtime_version')).toThrow(/Compiling function/)
    expect(versionSectionOf(wasm)).toEqual(Uint8Array.of(7))
  })
})
