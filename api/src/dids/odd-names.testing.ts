import { readFileSync } from 'node:fs'

const folder = process.env.SHARED_DATA ?? new URL('../../../../shared/data', import.meta.url).pathname

/** Names of real institutions that hold NULs and broken encodings. */
export const oddNames = (): string[] =>
  readFileSync(`${folder}/odd-names.jsonl`, 'utf8')
    .trim()
    .split('\n')
    .map((row) => String(JSON.parse(row).name))
