import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CHROMIUM, faultsIn, faultsOf, hasChromium, needsChromium, PATIENCE_MS } from './support/page-faults.js'
import { apiKey, apiUrl } from './support/shared-stack.js'

const address = `${apiUrl}/graphql`
const open = (accept?: string) => fetch(address, accept === undefined ? {} : { headers: { accept } })

it.each([
  ['text/html', 'text/html'],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'text/html'],
  ['application/json', undefined],
  ['application/json, text/html;q=0.5', undefined],
  ['*/*', undefined],
  [undefined, undefined],
])('GET /graphql is a page for people alone (Accept: %s)', async (accept, type) => {
  const answer = await open(accept)
  expect(answer.headers.get('vary')).toContain('Accept')
  if (type !== undefined) {
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, `${type}; charset=utf-8`])
    return
  }
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
  expect(await answer.json()).toMatchObject({ errors: [{ extensions: { type: 'method_not_allowed' } }] })
})

needsChromium()

describe.runIf(hasChromium)('GraphiQL in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'], timeout: PATIENCE_MS })
  })
  afterAll(() => browser?.close())

  const isDrawn = (page: Page) => page.getByRole('button', { name: 'Execute query (Ctrl-Enter)' }).waitFor()

  it('has no serious fault at 320 px, light', async () => {
    const view = { viewport: { width: 320, height: 900 }, colorScheme: 'light' } as const
    expect(await faultsOf(browser, [address], { view, prepare: isDrawn })).toEqual([])
  })

  it('has none at 1400 px, dark, runs a query with the key that is written into it, asks no other host, and breaks no rule of its page', async () => {
    const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, colorScheme: 'dark' })
    context.setDefaultTimeout(PATIENCE_MS)
    const page = await context.newPage()
    const beyond: string[] = []
    const wrong: string[] = []
    const keys: (string | undefined)[] = []
    page.on('request', (request) => {
      if (!request.url().startsWith(apiUrl) && !request.url().startsWith('data:')) beyond.push(request.url())
      if (request.method() === 'POST') keys.push(request.headers()['svc-api-token'])
    })
    page.on('console', (message) => {
      if (message.type() === 'error') wrong.push(message.text())
    })
    page.on('pageerror', (error) => wrong.push(String(error)))
    await page.goto(address)
    await isDrawn(page)
    expect(await faultsIn(page)).toEqual([])
    await page.getByRole('button', { name: 'Headers' }).click()
    await page.locator('[aria-label="Headers"] .graphiql-editor:not(.hidden) .CodeMirror').click()
    await page.keyboard.insertText(JSON.stringify({ 'SVC-API-TOKEN': apiKey }))
    await page.getByRole('button', { name: 'Execute query (Ctrl-Enter)' }).click()
    const answer = page.locator('.result-window')
    await expect.poll(() => answer.textContent(), { timeout: PATIENCE_MS }).toMatch(/"totalCount": \d+/)
    expect(await answer.textContent()).not.toContain('errors')
    expect(keys.at(-1)).toBe(apiKey)
    // The page shows the schema's own descriptions beside it.
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click()
    await page.getByRole('link', { name: 'Query' }).first().click()
    await expect.poll(() => page.getByText('Every DID of the ledger, deactivated ones too.').count()).toBe(1)
    expect([beyond, wrong]).toEqual([[], []])
    await page.reload()
    expect(JSON.stringify(await context.storageState())).not.toContain(apiKey)
  })
})
