import { readdir, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { chainTypes } from '../src/types.js'
import { generatedFiles } from './generated.js'

const folder = new URL('../src/generated/', import.meta.url)

test('the generated types are those of the metadata in chain/artifact (else: npm run build-types)', async () => {
  const files = generatedFiles(chainTypes())
  expect(await readdir(folder)).toEqual([...files.keys()].sort())
  for (const [name, text] of files) expect(await readFile(new URL(name, folder), 'utf8'), name).toBe(text)
})
