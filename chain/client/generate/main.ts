// Writes src/generated from the metadata of the built runtime.
import { mkdir, writeFile } from 'node:fs/promises'
import { chainTypes } from '../src/types.js'
import { generatedFiles } from './generated.js'

if (process.argv.includes('--help')) {
  console.log(
    'npm run build-types\n  Writes chain/client/src/generated from the metadata of the built runtime; build-runtime does it at its end.',
  )
  process.exit(0)
}
const folder = new URL('../src/generated/', import.meta.url)
await mkdir(folder, { recursive: true })
for (const [name, text] of generatedFiles(chainTypes())) await writeFile(new URL(name, folder), text)
