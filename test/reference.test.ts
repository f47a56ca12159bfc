import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CHROMIUM, faultsIn, hasChromium, needsChromium, PATIENCE_MS } from './support/page-faults.js'
import { apiKey, apiUrl } from './support/shared-stack.js'

const VIEWS = [
  { viewport: { width: 320, height: 900 }, colorScheme: 'light' },
  { viewport: { width: 1400, height: 900 }, colorScheme: 'dark' },
] as const

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

  it.each(VIEWS)(
    'has no serious fault, and fits both widths, $colorScheme, with no request to another host',
    async (view) => {
      const { page, foreign, close } = await opened('/docs', view)
      await page.getByRole('heading', { name: 'Accredit', exact: true }).waitFor()
      const fits = async () => {
        await page.setViewportSize(view.viewport)
        expect(await faultsIn(page)).toEqual([])
        for (const { viewport } of VIEWS) {
          await page.setViewportSize(viewport)
          await expect.poll(() => overflow(page)).toBe(0)
        }
      }
      await fits()
      const ground = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
      const [red = 0] = ground.match(/\d+/g)?.map(Number) ?? []
      expect(red > 128).toBe(view.colorScheme === 'light')
      for (const path of ['/docs/errors', '/']) {
        await page.goto(`${apiUrl}${path}`)
        await page.getByRole('heading', { level: 1 }).waitFor()
        await fits()
      }
      expect(foreign).toEqual([])
      await close()
    },
  )

  it('finds an operation, shows it in curl and JavaScript, and tries it with a key', async () => {
    const { page, foreign, close } = await opened('/docs#tag/dids/GET/dids', { viewport: { width: 1400, height: 900 } })
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
