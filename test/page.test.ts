import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { builders } from './support/ecosystem.js'
import { CHROMIUM, faultsOf, hasChromium, needsChromium, PATIENCE_MS } from './support/page-faults.js'
import { apiKey, apiUrl } from './support/shared-stack.js'

const make = builders(apiUrl, apiKey)

/** The date is the next whole second, once it is past, since a date picker counts in seconds. */
async function secondAfterNow() {
  const second = Math.ceil(Date.now() / 1000) * 1000
  await setTimeout(second + 1 - Date.now())
  return new Date(second).toISOString().slice(0, 19)
}

const PHONE = { width: 320, height: 700 }
const DESK = { width: 1400, height: 900 }
/** Removes the label of a field, and adds a pale and a wide element. */
const SPOILT = `
  const label = document.querySelector('label')
  label.replaceWith(label.querySelector('input'))
  document.body.insertAdjacentHTML('beforeend', '<p id="spoilt">Pale</p>')
  Object.assign(document.getElementById('spoilt').style, { width: '500px', color: '#ddd', background: '#fff' })`

const REASON = 'Its accreditation ran out.'

needsChromium()

describe.runIf(hasChromium)('the page of an ecosystem in a browser that runs no script', () => {
  const arabic = 'جامعة القاهرة'
  const name = `Degrees ${randomUUID().slice(0, 8)}`
  let browser: Browser
  let page: Page
  let address: string
  let before: string
  let invitation: string
  const refused: string[] = []
  const beyond: string[] = []

  beforeAll(async () => {
    const [convener, one, two, schema] = await Promise.all([
      make.organisation('Council of Universities'),
      make.organisation(arabic, 'https://example.org/logo.png'),
      make.organisation('Bilkent Üniversitesi'),
      make.schema(),
    ])
    const registry = await make.registry(convener, name)
    await make.accredit(registry, one, [schema])
    const { id } = await make.accredit(registry, two, [schema], [schema])
    before = await secondAfterNow()
    await make.client.settled('PATCH', `/trust-registries/${registry}/participants/${id}`, {
      status: 'suspended',
      reason: REASON,
    })
    address = `${apiUrl}/ecosystems/${name.toLowerCase().replace(' ', '-')}`
    const { link } = await make.client.call<{ link: string }>('POST', `/trust-registries/${registry}/participants`, {
      issuerSchemas: [schema],
    })
    invitation = link
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'], timeout: PATIENCE_MS })
    const context = await browser.newContext({ viewport: PHONE, javaScriptEnabled: false, colorScheme: 'dark' })
    context.setDefaultTimeout(PATIENCE_MS)
    page = await context.newPage()
    page.on('console', (message) => {
      if (/security policy/i.test(message.text())) refused.push(message.text())
    })
    page.on('request', (request) => {
      if (!request.url().startsWith(apiUrl)) beyond.push(request.url())
    })
    await page.goto(address)
  })
  afterAll(() => browser?.close())

  const rowOf = (participant: string) => page.getByRole('row', { name: participant })

  it('is styled by its own policy, fits a phone, and asks nobody else for anything', async () => {
    const { width } = (await page.locator('body').boundingBox()) ?? { width: 0 }
    expect(width).toBe(PHONE.width)
    for (const part of await page.locator('h1, table, form, section, footer').all()) {
      const box = await part.boundingBox()
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(PHONE.width)
    }
    const [picker, title] = [await page.locator('form').first().boundingBox(), await page.locator('h1').boundingBox()]
    expect(picker?.y, 'the date picker above the title').toBeLessThan(title?.y ?? 0)
    const founded = await page.getByRole('definition').locator('time').boundingBox()
    expect(founded?.height, 'a date on one line').toBeLessThan(32)
    const names = await page.locator('.who > span:last-child').all()
    const starts = await Promise.all(names.map(async (one) => (await one.boundingBox())?.x))
    expect([starts.length, new Set(starts).size], 'names below each other, with a logo and without').toEqual([2, 1])
    expect({ refused, beyond }).toEqual({ refused: [], beyond: [] })
  })

  it('has headings, labels and table headers for screen readers, and marks suspended participants', async () => {
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(name)
    for (const heading of ['Participants', 'Schemas', 'Governance', 'What happened'])
      expect(await page.getByRole('heading', { level: 2, name: heading }).count(), heading).toBe(1)
    expect(
      await rowOf('Bilkent')
        .getByText(/^Suspended since/)
        .count(),
    ).toBe(1)
    expect(await rowOf(arabic).getByText('In good standing').count()).toBe(1)
    expect(await page.getByText('Council of Universities suspended Bilkent Üniversitesi.').count()).toBe(1)
    expect(await page.getByText(REASON).count()).toBe(2)
    expect(await page.locator('.counts').textContent()).toContain('1 schema')
  })

  it('is searched, and shown as it was, by its forms alone', async () => {
    await page.getByLabel(/^Search by name/).fill(arabic.slice(0, 5))
    await page.getByRole('button', { name: 'Search' }).click()
    expect([await rowOf(arabic).count(), await rowOf('Bilkent').count()]).toEqual([1, 0])
    expect((await page.goto(`${address}?at=${before}`))?.status()).toBe(200)
    expect(await page.getByRole('note').textContent()).toContain('You see this page as it was')
    expect(await page.getByText(/^Suspended since/).count()).toBe(0)
    await page.getByRole('link', { name: 'Show it as it is now' }).click()
    expect(await page.getByText(/^Suspended since/).count()).toBe(1)
    await page.goto(`${address}?at=yesterday`)
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('This cannot be shown')
  })

  describe('is looked at', () => {
    const views = [
      { viewport: PHONE, colorScheme: 'light', locale: 'tr-TR' },
      { viewport: PHONE, colorScheme: 'dark', locale: 'en-GB' },
      { viewport: DESK, colorScheme: 'light', locale: 'en-GB' },
      { viewport: DESK, colorScheme: 'dark', locale: 'tr-TR' },
    ] as const

    it.each(views.map((view, index) => ({ ...view, index })))(
      'at $viewport.width px, $colorScheme, in $locale: nothing serious is wrong, nothing sticks out',
      async ({ index, ...view }) => {
        // Axe is slow: each of the other pages has one view.
        const others = [`${address}?at=${before}`, invitation, `${address}?at=yesterday`, `${invitation}x`]
        const pages = [address, others[index] ?? '', ...(index % 3 === 0 ? [`${apiUrl}/status`] : [])]
        expect(await faultsOf(browser, pages, { view })).toEqual([])
      },
    )

    it('would tell what is wrong', async () => {
      const faults = await faultsOf(browser, [address], { view: views[0], prepare: (tab) => tab.evaluate(SPOILT) })
      expect(faults.map(({ rule }) => rule).sort()).toEqual(['color-contrast', 'label', 'too wide'])
    })
  })
})
