import { readFileSync } from 'node:fs'

/** Names of real institutions that hold NULs and broken encodings. */
export const oddNames = (): string[] =>
  readFileSync(new URL('./odd-names.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((row) => String(JSON.parse(row).name))
