import { existsSync } from 'node:fs'
import { type AxeResults, source as axeSource } from 'axe-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { expect, it } from 'vitest'

export const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'
export const hasChromium = existsSync(CHROMIUM)

/** A browser that starts beside everything else takes its time. */
export const PATIENCE_MS = 120_000

/** npm test installs the browser where it may; elsewhere its tests are told as not run, but not where all must run. */
export function needsChromium(): void {
  it.runIf(!hasChromium && process.env.CI)('the browser of these tests is there', () =>
    expect(
      hasChromium,
      `There is no Chromium at ${CHROMIUM}: install it, or say with CHROMIUM where it is; npm test installs it only as root on Debian`,
    ).toBe(true),
  )
}

export interface Fault {
  rule: string
  where: string
  url: string
}

interface Look {
  view: BrowserContextOptions & { viewport: { width: number; height: number } }
  /** Waits until the page is drawn, where scripts of its own do that; may change it. */
  prepare?: (page: Page) => Promise<unknown>
}

/** Returns the faults of a page that is opened for that. */
export async function faultsOf(browser: Browser, url: string, { view, prepare }: Look): Promise<Fault[]> {
  const context = await browser.newContext(view)
  context.setDefaultTimeout(PATIENCE_MS)
  const tab = await context.newPage()
  await tab.goto(url)
  await prepare?.(tab)
  const faults = await faultsIn(tab)
  await context.close()
  return faults
}

/** Returns what axe calls serious or critical on a page, each place by itself, and what is wider than the screen. */
export async function faultsIn(tab: Page): Promise<Fault[]> {
  const url = tab.url()
  await tab.evaluate(axeSource)
  const { violations } = await tab.evaluate<AxeResults>('axe.run()')
  const width = await tab.evaluate<number>('document.documentElement.scrollWidth')
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  const wide = width > (tab.viewportSize()?.width ?? 0) ? [{ rule: 'too wide', where: `${width} px`, url }] : []
  return [...serious.flatMap(({ id, nodes }) => nodes.map(({ html }) => ({ rule: id, where: html, url }))), ...wide]
}
