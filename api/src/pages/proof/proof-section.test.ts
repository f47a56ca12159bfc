import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MAY_ISSUE, sampleBundle } from '../../../../chain/client/src/proof/testing/sample-bundle.js'
import { didNamed, REGISTRY, SCHEMA } from '../../../../chain/client/src/proof/testing/sample-ledger.js'
import { CHROMIUM, faultsOf, hasChromium, needsChromium, PATIENCE_MS } from '../../../../test/support/page-faults.js'
import { audit } from '../../audit/operations.js'
import { ASKED, genesis, network, type RecordedWorld, recordedWorld } from '../../audit/proofs/testing.js'
import { pages } from '../operations.js'

let world: RecordedWorld
let origin: string
beforeAll(async () => {
  world = await recordedWorld({ final: ASKED, served: [audit, pages] })
  const since = { registry_id: REGISTRY, from_block: 1, to_block: null }
  const names = { name: 'Universities', gov_framework: 'https://example.org/g', pending_convener: null, version: 7 }
  await world.ledger.row('trust_registry', { ...since, ...names, convener: didNamed('university') })
  await world.ledger.row('registry_schema', { ...since, schema_id: SCHEMA, is_public: false })
  origin = await world.app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(() => world?.close())

describe('the page of an ecosystem on a network of validators', () => {
  it('offers what proves its facts, at the block that it shows, and serves the verifier file by file', async () => {
    const { body, headers } = await world.app.inject(`/ecosystems/${REGISTRY}`)
    expect(body).toContain(`/trust-registries/${REGISTRY}/proof?at=${ASKED}" download`)
    expect(body).toContain('pattern="\\s*0x[0-9a-fA-F]{64}\\s*"')
    expect(headers['content-security-policy']).toMatch(/script-src 'self' 'sha256-[^']+'; connect-src/)
    const [, map = ''] = /<script type="importmap">(.*?)<\/script>/.exec(body) ?? []
    const { imports }: { imports: Record<string, string> } = JSON.parse(map)
    expect(Object.keys(imports)).toContain('@noble/curves/ed25519')
    for (const address of Object.values(imports)) {
      const file = await world.app.inject(new URL(address, `${origin}/ecosystems/a`).pathname)
      expect([address, file.statusCode, file.headers['content-type']]).toEqual([
        address,
        200,
        'text/javascript; charset=utf-8',
      ])
    }
    expect((await world.app.inject('/verifier/proof/../../package.json')).statusCode).toBe(404)
  })
})

needsChromium()

describe.runIf(hasChromium)('in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'], timeout: PATIENCE_MS })
  })
  afterAll(() => browser?.close())

  /** Opens the page, and fills in the form; the page may ask this service for files, and nobody else. */
  async function check(fill: { genesis: string; bundle?: string }): Promise<string> {
    const page = await browser.newPage()
    page.setDefaultTimeout(PATIENCE_MS)
    const faults: string[] = []
    page.on('pageerror', ({ message }) => faults.push(message))
    page.on('console', (message) => {
      if (/security policy/i.test(message.text())) faults.push(message.text())
    })
    // The address of the API in links is that of the settings; the service listens elsewhere here.
    await page.route(/\/trust-registries\//, async (route) => {
      const { pathname, search } = new URL(route.request().url())
      const { statusCode, body } = await world.app.inject(`${pathname}${search}`)
      await route.fulfill({ status: statusCode, body, headers: { 'access-control-allow-origin': '*' } })
    })
    await page.goto(`${origin}/ecosystems/${REGISTRY}`)
    await page.locator('#check').waitFor()
    await page.locator('input[name=genesis]').fill(fill.genesis)
    if (fill.bundle !== undefined)
      await page.locator('input[name=bundle]').setInputFiles({
        name: 'bundle.json',
        mimeType: 'application/json',
        buffer: Buffer.from(fill.bundle),
      })
    await page.getByRole('button', { name: 'Check it here' }).click()
    const told = page.locator('#check output')
    await expect.poll(() => told.textContent()).not.toBe('')
    const text = (await told.textContent()) ?? ''
    await page.close()
    expect(faults).toEqual([])
    return text
  }

  it('checks the facts of the page with the genesis hash that the reader knows', async () => {
    const told = await check({ genesis })
    expect(told).toMatch(/^Proved\./)
    expect(told).toContain('Universities')
    expect(told).toContain(network.block(ASKED).hash)
    expect(await check({ genesis: ` ${genesis} ` })).toMatch(/^Proved\./)
  })

  it('checks a file that somebody downloaded, and refuses one that was changed', async () => {
    const bundle = JSON.stringify(sampleBundle(MAY_ISSUE, network))
    expect(await check({ genesis, bundle })).toMatch(/^Proved\.\nMay did:svc:/)
    expect(await check({ genesis, bundle: bundle.replace('EUR', 'USD').replace('did:svc:5', 'did:svc:6') })).toMatch(
      /^Not proved\./,
    )
    expect(await check({ genesis: `0x${'12'.repeat(32)}`, bundle })).toMatch(/^Not proved\.\nThe bundle is about/)
  })

  it('has no fault of access with the form that its script shows', async () => {
    const view = { viewport: { width: 320, height: 700 } }
    const prepare = (page: Parameters<NonNullable<Parameters<typeof faultsOf>[2]['prepare']>>[0]) =>
      page.locator('#check').waitFor()
    expect(await faultsOf(browser, `${origin}/ecosystems/${REGISTRY}`, { view, prepare })).toEqual([])
  })
})
