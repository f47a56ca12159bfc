import { readFileSync } from 'node:fs'
import { buildersOn, type Verification } from '../../scripts/tour/builders.js'
import { connect } from '../../scripts/tour/client.js'
import { requestsWith } from './requests.js'

export type { Degree, Verification } from '../../scripts/tour/builders.js'

/** The ground of tests of the main job: requests, and what makes what they ask about. */
export function builders(apiUrl: string, apiKey: string) {
  const client = connect(apiUrl, apiKey)
  const request = requestsWith(apiKey, apiUrl)

  return { client, request, ...buildersOn(client) }
}

export const checkOf = ({ checks }: Verification, name: string) => checks.find(({ check }) => check === name)

/** Real institutions, by domain. */
export const institutions = new Map(
  readFileSync(new URL('../../scripts/tour/institutions.tsv', import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line): [string, string] => {
      const [domain = '', name = ''] = line.split('\t')
      return [domain, name]
    }),
)
