import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CHROMIUM, faultsIn, hasChromium, needsChromium, PATIENCE_MS } from './support/page-faults.js'
import { apiKey, apiUrl } from './support/shared-stack.js'

const PHONE = { viewport: { width: 320, height: 900 }, colorScheme: 'light' } as const
const DESK = { viewport: { width: 1400, height: 900 }, colorScheme: 'dark' } as const
const VIEWS = [PHONE, DESK]
type View = (typeof VIEWS)[number]

needsChromium()

describe.runIf(hasChromium)('the reference in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'], timeout: PATIENCE_MS })
  })
  afterAll(() => browser?.close())

  /** Returns the page, with its requests to other hosts and those that its own policy refused. */
  async function opened(path: string, options: BrowserContextOptions) {
    const context = await browser.newContext(options)
    context.setDefaultTimeout(PATIENCE_MS)
    const page = await context.newPage()
    const foreign: string[] = []
    page.on('request', (request) => {
      const { protocol, origin } = new URL(request.url())
      if (protocol.startsWith('http') && origin !== new URL(apiUrl).origin) foreign.push(request.url())
    })
    page.on('console', (message) => {
      if (/content security policy/i.test(message.text())) foreign.push(message.text())
    })
    page.on('pageerror', (error) => foreign.push(error.message))
    await page.goto(`${apiUrl}${path}`)
    return { page, foreign, close: () => context.close() }
  }

  const overflow = (page: Page) => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')

  async function fits(page: Page, view: View): Promise<void> {
    for (const { viewport } of VIEWS) {
      await page.setViewportSize(viewport)
      await expect.poll(() => overflow(page)).toBe(0)
    }
    await page.setViewportSize(view.viewport)
  }

  async function looksWell(page: Page, view: View): Promise<void> {
    await page.getByRole('heading', { name: 'Accredit', exact: true }).waitFor()
    await fits(page, view)
    expect(await faultsIn(page)).toEqual([])
    const ground = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
    const [red = 0] = ground.match(/\d+/g)?.map(Number) ?? []
    expect(red > 128).toBe(view.colorScheme === 'light')
    for (const path of ['/docs/errors', '/']) {
      await page.goto(`${apiUrl}${path}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await fits(page, view)
      expect(await faultsIn(page)).toEqual([])
    }
  }

  it('has no serious fault, and fits both widths, in light, with no request to another host', async () => {
    const { page, foreign, close } = await opened('/docs', PHONE)
    await looksWell(page, PHONE)
    expect(foreign).toEqual([])
    await close()
  })

  it('looks as well in the dark, finds an operation, shows it in curl and JavaScript, and tries it with a key', async () => {
    const { page, foreign, close } = await opened('/docs', DESK)
    await looksWell(page, DESK)
    await page.goto(`${apiUrl}/docs#tag/dids/GET/dids`)
    await page.getByText('curl ').first().waitFor()
    await page
      .getByRole('button', { name: /^Change code sample language/ })
      .first()
      .click()
    await page.getByText('Fetch', { exact: true }).first().click()
    await page
      .getByRole('button', { name: /^Change code sample language: .*Fetch$/ })
      .first()
      .waitFor()

    await page.keyboard.press('Control+k')
    await page.keyboard.type('revoke')
    await page.getByText('/credentials/{id}/revoke').last().waitFor()
    await page.keyboard.press('Escape')

    await page.getByPlaceholder(/^QUx/).first().fill(apiKey)
    await page
      .getByRole('button', { name: /Test Request/ })
      .first()
      .click()
    const answer = page.waitForResponse((response) => new URL(response.url()).pathname === '/dids')
    await page.getByRole('button', { name: /^Send/ }).first().click()
    expect((await answer).status()).toBe(200)
    expect(foreign).toEqual([])
    await close()
  })
})

it('the page at / says what this is and where to go, to people and programs', async () => {
  const told = async (accept: string) => {
    const answer = await fetch(`${apiUrl}/`, { headers: { accept } })
    return { type: answer.headers.get('content-type'), text: await answer.text() }
  }
  expect(await told('text/html,*/*;q=0.8')).toMatchObject({
    type: 'text/html; charset=utf-8',
    text: expect.stringContaining('docs/errors'),
  })
  for (const accept of ['*/*', 'application/json']) {
    const { reference, errors, openapi, ready } = JSON.parse((await told(accept)).text)
    for (const address of [reference, errors, openapi, ready])
      expect((await fetch(String(address).replace(/^https?:\/\/[^/]+/, apiUrl))).status, address).toBe(200)
  }
})
