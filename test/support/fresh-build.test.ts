import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isFresh } from './fresh-build.js'

test('a build is fresh while no source is newer than it; tests are no sources', () => {
  const folder = mkdtempSync(join(tmpdir(), 'accredit-build-'))
  try {
    const write = (name: string, second: number): void => {
      const path = join(folder, name)
      writeFileSync(path, '')
      utimesSync(path, second, second)
    }
    const part = { note: join(folder, '.tsbuildinfo'), sources: [join(folder, 'src')] }
    mkdirSync(join(folder, 'src/inner'), { recursive: true })
    write('src/inner/a.ts', 100)
    expect(isFresh(part)).toBe(false)
    write('.tsbuildinfo', 100)
    expect(isFresh(part)).toBe(true)
    write('src/inner/a.test.ts', 200)
    expect(isFresh(part)).toBe(true)
    write('src/inner/a.ts', 101)
    expect(isFresh(part)).toBe(false)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
