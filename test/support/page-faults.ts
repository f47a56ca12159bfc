import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
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

const require = createRequire(import.meta.url)
/** Axe as it is shipped to browsers: less than half as long as its source. */
const axeSource = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')

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

/** Returns the faults of pages, which are opened for that in one tab. */
export async function faultsOf(browser: Browser, urls: readonly string[], { view, prepare }: Look): Promise<Fault[]> {
  const context = await browser.newContext(view)
  context.setDefaultTimeout(PATIENCE_MS)
  const tab = await context.newPage()
  const faults = []
  for (const url of urls) {
    await tab.goto(url)
    await prepare?.(tab)
    faults.push(...(await faultsIn(tab)))
  }
  await context.close()
  return faults
}

/**
 * Asks axe in the page for its serious and critical faults alone: the transfer of its whole report takes as long as axe
 * itself.
 */
const AXE_FAULTS = `axe.run({ resultTypes: ['violations'] }).then(({ violations }) =>
  violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => ({ rule: id, where: html }))))`

/** Returns what axe calls serious or critical on a page, each place by itself, and what is wider than the screen. */
export async function faultsIn(tab: Page): Promise<Fault[]> {
  const url = tab.url()
  await tab.evaluate(`${axeSource}; 0`)
  const serious = await tab.evaluate<Omit<Fault, 'url'>[]>(AXE_FAULTS)
  const width = await tab.evaluate<number>('document.documentElement.scrollWidth')
  const wide = width > (tab.viewportSize()?.width ?? 0) ? [{ rule: 'too wide', where: `${width} px` }] : []
  return [...serious, ...wide].map((fault) => ({ ...fault, url }))
}
