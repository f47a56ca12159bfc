import { expect, it } from 'vitest'
import { tour } from '../scripts/tour/tour.js'
import { apiUrl } from './support/shared-stack.js'
import { anotherTeam } from './support/team.js'

it('the tour shows each answer that it announces, and ends with the page for people, then what programs read', async () => {
  const said: string[] = []
  const apiKey = await anotherTeam('Tour')
  await tour({ apiUrl, apiKey }, ['Bilkent Üniversitesi', 'جامعة القاهرة'], (line) => said.push(line))
  const text = said.join('\n')
  for (const shown of ['not verified (issuerAuthorised: suspended)', '? verified', 'not verified (status: revoked)'])
    expect(text).toContain(shown)
  const end = text.slice(text.indexOf('See for yourself'))
  const [page = '', forPrograms = ''] = end.match(/http\S+/g) ?? []
  expect(page).toMatch(`${apiUrl}/ecosystems/`)
  expect(forPrograms).toMatch(`${apiUrl}/trust-registries/`)
  const [shown, told] = await Promise.all([page, forPrograms].map((url) => fetch(url)))
  expect([shown?.status, shown?.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(await shown?.text()).toContain('<h1 dir="auto">Academic Degrees</h1>')
  expect(await told?.json()).toMatchObject({ name: 'Academic Degrees' })
})
