import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { EVENT_NAMES } from './event-names.js'

/** Events that no runtime deposits: a motion costs nothing. */
const NEVER = ['Council.ProposalCostBurned', 'Council.ProposalCostReleased', 'CouncilMembers.Dummy']
const TYPES = new URL('../../../indexer/src/types/', import.meta.url)

test('history knows the name of every event that the indexer reads', () => {
  const sources = readdirSync(TYPES, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('events.ts'))
    .map((name) => readFileSync(new URL(name, TYPES), 'utf8'))
  const read = sources.flatMap(
    (source) =>
      source.match(/(?<=')(?:Did|TrustRegistry|Revocation|Governance|Council|CouncilMembers)\.\w+(?=')/g) ?? [],
  )
  expect([...EVENT_NAMES].sort()).toEqual([...new Set(read)].filter((name) => !NEVER.includes(name)).sort())
})
