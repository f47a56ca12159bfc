import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Question } from '../../../../chain/client/src/proof/question.js'
import { MAY_ISSUE, sampleBundle, sampleNetwork } from '../../../../chain/client/src/proof/testing/sample-bundle.js'
import {
  didNamed,
  HOSTILE_NAME,
  REGISTRY,
  REMOVED_REGISTRY,
  SCHEMA,
  sampleLedger,
} from '../../../../chain/client/src/proof/testing/sample-ledger.js'
import { CHROMIUM, faultsIn, hasChromium, needsChromium, PATIENCE_MS } from '../../../../test/support/page-faults.js'
import { audit } from '../../audit/operations.js'
import { ASKED, genesis, network, type RecordedWorld, recordedWorld } from '../../audit/proofs/testing.js'
import { pages } from '../operations.js'

let world: RecordedWorld
let origin: string
beforeAll(async () => {
  world = await recordedWorld({ final: ASKED, served: [audit, pages] })
  await tellRegistry(world)
  origin = await world.app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(() => world?.close())

async function tellRegistry({ ledger }: RecordedWorld): Promise<void> {
  const since = { registry_id: REGISTRY, from_block: 1, to_block: null }
  const names = { name: 'Universities', gov_framework: 'https://example.org/g', pending_convener: null, version: 7 }
  await ledger.row('trust_registry', { ...since, ...names, convener: didNamed('university') })
  await ledger.row('registry_schema', { ...since, schema_id: SCHEMA, is_public: false })
}

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

const SOURCE = 'https://example.org/accredit?tag=<1>'

const SAYS_WHOSE_IT_IS = {
  en: [
    'npm run verify-proof',
    'Both are in the folder <code>chain/client</code> of the source of Accredit',
    'The operators of the ledger publish that hash',
    'come from the service that you check',
  ],
  tr: [
    'npm run verify-proof',
    'Accredit’in kaynak kodunun <code>chain/client</code>',
    'Bu özeti defteri işletenler yayımlar',
    'denetlediğiniz hizmetten gelir',
  ],
}

it.each(Object.entries(SAYS_WHOSE_IT_IS))(
  'the page fills in no genesis hash of its own, and says whose it and its script are: %s',
  async (language, sentences) => {
    const { body } = await world.app.inject({
      url: `/ecosystems/${REGISTRY}`,
      headers: { 'accept-language': language },
    })
    expect(body.toLowerCase()).not.toContain(genesis.slice(2))
    const [, input = ''] = /<input (name="genesis"[^>]*)>/.exec(body) ?? []
    expect(input).toMatch(/ placeholder="0x…" .* aria-describedby="own"/)
    expect(input).not.toContain('value')
    const [, own = ''] = /<p id="own"[^>]*>(.*?)<\/p>/s.exec(body) ?? []
    for (const sentence of sentences) expect(own).toContain(sentence)
  },
)

it('the page leads to the address at which its operators tell the source to be', async () => {
  const settled = await recordedWorld({ final: ASKED, served: [audit, pages], config: { sourceUrl: SOURCE } })
  await tellRegistry(settled)
  const { body } = await settled.app.inject(`/ecosystems/${REGISTRY}`)
  await settled.close()
  const address = SOURCE.replace('<', '&#60;').replace('>', '&#62;')
  expect(body).toContain(`source: <a href="${address}" rel="nofollow noopener noreferrer">${address}</a>`)
})

needsChromium()

describe.runIf(hasChromium)('in a browser', () => {
  let browser: Browser
  type Answer = { status: number; body: string } | 'none'

  const faults: string[] = []
  async function answered(url: string): Promise<Answer> {
    const { statusCode: status, body } = await world.app.inject(url)
    return { status, body }
  }

  /** The page of all checks: it loads the verifier once. It is told `instead` in place of the API's answers. */
  let page: Page
  let instead: () => Promise<Answer | undefined> = async () => undefined
  /** It may ask this service for files, and nobody else. */
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'], timeout: PATIENCE_MS })
    page = await browser.newPage()
    page.setDefaultTimeout(PATIENCE_MS)
    page.on('pageerror', ({ message }) => faults.push(message))
    page.on('console', (message) => {
      if (/security policy/i.test(message.text())) faults.push(message.text())
    })
    // The address of the API in links is that of the settings; the service listens elsewhere here.
    await page.route(/\/trust-registries\//, async (route) => {
      const { pathname, search } = new URL(route.request().url())
      const told = (await instead()) ?? (await answered(`${pathname}${search}`))
      if (told === 'none') await route.abort()
      else await route.fulfill({ ...told, headers: { 'access-control-allow-origin': '*' } })
    })
    await page.goto(`${origin}/ecosystems/${REGISTRY}`)
    await page.locator('#check').waitFor()
    expect(await page.locator('input[name=genesis]').inputValue()).toBe('')
  })
  afterAll(() => browser?.close())

  async function choose(bundle: string): Promise<void> {
    const buffer = Buffer.from(bundle)
    const file = { name: 'bundle.json', mimeType: 'application/json', buffer }
    await page.locator('input[name=bundle]').setInputFiles(file)
  }
  const press = () => page.getByRole('button', { name: 'Check it here' }).click()
  const verdict = () => page.locator('#check output').textContent()

  async function check(fill: { genesis: string; known?: string; bundle?: string; answer?: Answer }): Promise<string> {
    instead = async () => fill.answer
    if (fill.bundle === undefined) await page.locator('input[name=bundle]').setInputFiles([])
    else await choose(fill.bundle)
    await page.locator('input[name=known]').fill(fill.known ?? '')
    await page.locator('input[name=genesis]').fill('')
    await page.locator('input[name=genesis]').fill(fill.genesis)
    expect(await verdict()).toBe('')
    await press()
    await expect.poll(verdict).not.toBe('')
    expect(faults).toEqual([])
    return (await verdict()) ?? ''
  }

  const bundleOf = (question: Question) => JSON.stringify(sampleBundle(question, network))

  it('checks the facts of the page with the genesis hash that the reader knows, and no other', async () => {
    const told = await check({ genesis })
    expect(told).toMatch(/^Proved\.\nQuestion: What is trust registry 0x/)
    expect(told).toContain('Universities')
    expect(told).toContain(`True after block: ${ASKED} ${network.block(ASKED).hash}`)
    expect(told).toMatch(
      /\nFinal with block 5: 3 of 4 votes, where 3 are enough\.\nTrusted: the hash of the first block, and that no two thirds of any of the validator sets 0 to 1 signed another past\.$/,
    )
    expect(await check({ genesis: ` ${genesis} ` })).toMatch(/^Proved\./)
    const other = `0x${'12'.repeat(32)}`
    expect(await check({ genesis: other })).toMatch(/^Not proved\.\nThe bundle is about the ledger with the genesis/)
  })

  const handOver = network.block(2)
  it.each<[string, string, string]>([
    [
      'a hand-over',
      ` 2:${handOver.hash.toUpperCase().replace('0X', '0x')} `,
      `It stands on the block that you know: 2 ${handOver.hash}.\nBesides, no two thirds of any of the validator sets 1 to 1 signed another past: that is trusted.`,
    ],
    [
      'the final block',
      `5:${network.block(5).hash}`,
      `It stands on the block that you know: 5 ${network.block(5).hash}.\nNo validators are trusted: the answer follows from that block.`,
    ],
  ])('tells on which known block the proof stands: %s', async (_, known, sentences) => {
    expect(await check({ genesis, known })).toMatch(/^Proved\./)
    expect((await check({ genesis, known })).endsWith(`\n${sentences}`)).toBe(true)
    expect(await check({ genesis })).not.toContain('the block that you know')
  })

  it('names the sets of validators who are trusted where the first block is all that is known', async () => {
    const known = `0:${genesis}`
    expect(await check({ genesis, known })).toMatch(
      /: 0 0x\w{64}\.\nTrusted: the hash of the first block, and .* 0 to 1 /,
    )
  })

  it('escapes what would turn or break a line in the name of a registry', async () => {
    const named = sampleNetwork(sampleLedger({ registryName: HOSTILE_NAME }))
    const bundle = JSON.stringify(sampleBundle({ kind: 'registry', registryId: REMOVED_REGISTRY }, named))
    const hostile = JSON.stringify(sampleBundle({ kind: 'registry', registryId: REGISTRY }, named))
    const [plain, told] = [await check({ genesis, bundle }), await check({ genesis, bundle: hostile })]
    expect(told).toMatch(/^Proved\.\n/)
    expect(told).not.toMatch(/[\p{Cf}\p{Zl}\p{Zp}]/u)
    expect(told.match(/"Universities\\u202e\\u2028Trusted: nobody\.\\u2066"/g)).toHaveLength(2)
    expect(told.split('\n')).toHaveLength(plain.split('\n').length)
  })

  it('refuses a proof of another past than that of a known block, or one that does not show it', async () => {
    const other = `0x${'12'.repeat(32)}`
    expect(await check({ genesis, known: `2:${other}` })).toMatch(
      /^Not proved\.\nThe proof stands on block 2 with the hash/,
    )
    expect(await check({ genesis, known: `3:${other}` })).toMatch(/^Not proved\.\nThe known block 3 was not compared/)
  })

  it.each(['2', handOver.hash, `2 ${handOver.hash}`, `2:${handOver.hash.slice(0, -1)}`, `-2:${handOver.hash}`])(
    'says in a sentence that %s names no block, and checks nothing',
    async (known) => {
      expect(await check({ genesis, known })).toBe(
        'Nothing was checked: a known block is its number, a colon and its hash (0x and 64 hexadecimal digits).',
      )
    },
  )

  it('takes a file about another block of the same number for another one', async () => {
    const become = (hash: unknown) =>
      page.evaluate<string>(
        `(({ dataset }) => { const was = dataset.hash; dataset.hash = '${hash}'; return was })(document.getElementById('check'))`,
      )
    const own = await become(network.block(5).hash)
    expect(await check({ genesis })).toMatch(/^Proved\.\nThe file proves the answer to its own question/)
    await become(own)
  })

  it('checks nothing without a genesis hash', async () => {
    await page.locator('input[name=genesis]').fill('')
    await press()
    expect(await page.locator('input[name=genesis]:invalid').count()).toBe(1)
    expect(await verdict()).toBe('')
  })

  const DID = didNamed('university')
  const ELSEWHERE: [string, Question, string][] = [
    ['a right', MAY_ISSUE, `May ${DID} issue`],
    ['a DID', { kind: 'did', did: DID }, `Is ${DID} in use?`],
    [
      'another registry',
      { kind: 'registry', registryId: REMOVED_REGISTRY },
      `What is trust registry ${REMOVED_REGISTRY}?`,
    ],
  ]
  it.each(ELSEWHERE)('checks a downloaded file about %s, and says what it proves', async (_, question, text) => {
    const lines = (await check({ genesis, bundle: bundleOf(question) })).split('\n')
    expect(lines[0]).toBe('Proved.')
    expect(lines[1]).toBe('The file proves the answer to its own question, and nothing else that this page says.')
    expect(lines[2]).toContain(`Question: ${text}`)
    expect(lines[3]).toMatch(/^Proven answer: ./)
  })

  it('takes a downloaded file about the page for what it is', async () => {
    const told = await check({ genesis, bundle: bundleOf({ kind: 'registry', registryId: REGISTRY }) })
    expect(told).toMatch(/^Proved\.\nQuestion: What is trust registry 0x/)
  })

  it('refuses a file that was changed', async () => {
    const bundle = bundleOf(MAY_ISSUE)
    expect(await check({ genesis, bundle: bundle.replace('EUR', 'USD').replace('did:svc:5', 'did:svc:6') })).toMatch(
      /^Not proved\./,
    )
    expect(await check({ genesis: `0x${'12'.repeat(32)}`, bundle })).toMatch(/^Not proved\.\nThe bundle is about/)
  })

  const HTML = '<!doctype html><title>Bad gateway</title>'
  const UNREAD = 'No proof could be read, and nothing was checked.\n'
  const REFUSED = JSON.stringify({ status: 503, type: 'unavailable', message: 'No votes yet' })
  it.each<[string, { bundle?: string; answer?: Answer }, string]>([
    ['a file of HTML', { bundle: HTML }, 'The bundle is not JSON.'],
    ['a file of other JSON', { bundle: REFUSED }, 'The bundle is not of the format accredit-proof-1.'],
    [
      'a refusal',
      { answer: { status: 503, body: REFUSED } },
      'The service answered with the status 503.\nNo votes yet',
    ],
    ['an error of a proxy', { answer: { status: 502, body: HTML } }, 'The service answered with the status 502.'],
    [
      'a page in place of a bundle',
      { answer: { status: 200, body: HTML } },
      'The service answered with the status 200.\nThe bundle is not JSON.',
    ],
    ['no answer', { answer: 'none' }, 'The service did not answer.'],
  ])('tells %s apart from a proof that proves nothing', async (_, given, why) => {
    expect(await check({ genesis, ...given })).toBe(UNREAD + why)
  })

  it('lets no earlier check write over the verdict of a later one', async () => {
    let letAnswer = () => {}
    const mayAnswer = new Promise<void>((resolve) => {
      letAnswer = resolve
    })
    instead = async () => {
      await mayAnswer
      return { status: 503, body: REFUSED }
    }
    await page.locator('input[name=bundle]').setInputFiles([])
    await page.locator('input[name=genesis]').fill('')
    await page.locator('input[name=genesis]').fill(genesis)
    const asked = page.waitForRequest(/\/proof\?at=/)
    await press()
    await asked
    await choose(bundleOf(MAY_ISSUE))
    expect(await verdict()).toBe('')
    await press()
    await expect.poll(verdict).toMatch(/^Proved\./)
    const ended = page.waitForResponse(/\/proof\?at=/)
    letAnswer()
    await (await ended).finished()
    // The page has read the earlier answer when what it was asked for afterwards is there.
    await page.evaluate(`fetch('../verifier/check.js').then((answer) => answer.text())`)
    expect(await verdict()).toMatch(/^Proved\./)
  })

  it('takes its verdict back when the fields change', async () => {
    expect(await check({ genesis })).toMatch(/^Proved\./)
    await page.locator('input[name=genesis]').fill(genesis.replace(/.$/, 'x'))
    expect(await verdict()).toBe('')
  })

  it('has no fault of access with the form that its script shows', async () => {
    await page.setViewportSize({ width: 320, height: 700 })
    expect(await faultsIn(page)).toEqual([])
  })
})
