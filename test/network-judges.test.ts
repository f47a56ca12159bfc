import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Acceptance } from '../scripts/network/faults/judges/acceptance.js'
import { checkEcosystem, type Ecosystem, makeEcosystem } from '../scripts/network/faults/judges/ecosystem.js'
import { questionsOn } from '../scripts/network/faults/judges/questions.js'
import { type Ground, makeGround, Writer } from '../scripts/network/faults/judges/writer.js'
import { type Client, connect } from '../scripts/tour/client.js'
import { apiUrl } from './support/shared-stack.js'
import { anotherTeam } from './support/team.js'

/** The judges of the product after each fault of `npm run network -- test`, on a product to which nothing happened. */
let client: Client
let apiKey: string
beforeAll(async () => {
  // Others that share the product write too, each in a team of its own.
  apiKey = await anotherTeam('Trial')
  client = connect(apiUrl, apiKey)
})

describe('the ecosystem of a trial', () => {
  let ecosystem: Ecosystem
  beforeAll(async () => {
    ecosystem = await makeEcosystem(client)
  })

  it('answers the same as when it was made, block after block', async () => {
    await client.finished((await client.call<{ id: string }>('POST', '/dids', {})).id)
    await checkEcosystem(client, ecosystem)
  })

  it('has a right answer in each way in which a trial asks while its faults happen', async () => {
    const questions = questionsOn({ product: { apiUrl, apiKey }, ecosystem })
    for (const { name, ask, read } of questions) {
      const answer = await ask(AbortSignal.timeout(30_000))
      const [text, block] = [await answer.text(), answer.headers.get('accredit-block')]
      expect([name, read(answer.status, text), block], text).toEqual([name, 'right', expect.stringMatching(/^\d+$/)])
    }
  })

  it('is told wrongly by a page on which its issuer is suspended, beside another one in good standing', async () => {
    const page = (at?: number) => pageOf({ product: { apiUrl, apiKey }, ecosystem }, at)
    expect(await page()).toEqual(['right', true])
    expect(await page(ecosystem.suspendedAt)).toEqual(['wrong', true])
  })

  it.each([
    ['registry', 'description'],
    ['authorization while suspended', 'block'],
    ['degree while its issuer was suspended', 'checks'],
    ['degree now', 'results'],
    ['revoked degree now', 'checks'],
    ['participants', 'list'],
    ['schema', 'created'],
  ])('is refused when the answer of %s has another %s', async (answer, member) => {
    const kept = ecosystem.answers[answer]
    expect(kept).toHaveProperty(member)
    const answers = { ...ecosystem.answers, [answer]: { ...Object(kept), [member]: 'another' } }
    await expect(checkEcosystem(client, { ...ecosystem, answers })).rejects.toThrow(
      `${answer} / ${member} was "another"`,
    )
  })

  it('is refused when an event of its history is another one, or there is one more', async () => {
    const { history } = ecosystem.answers
    if (!Array.isArray(history)) throw new Error('the history is no list')
    const others = [history.slice(1), history.with(2, { ...history[2], actor: ecosystem.issuer, nonce: 77 })]
    for (const other of others) {
      const kept = { ...ecosystem, answers: { ...ecosystem.answers, history: other } }
      await expect(checkEcosystem(client, kept)).rejects.toThrow(/not as it was: history \/ /)
    }
  })

  it('is refused when another participant was suspended', async () => {
    const participants = `/trust-registries/${ecosystem.registry}/participants`
    const { list } = await client.call<{ list: { id: string; did: string }[] }>('GET', participants)
    const other = list.find(({ did }) => did !== ecosystem.issuer)
    await client.settled('PATCH', `${participants}/${other?.id}`, { status: 'suspended' })
    await expect(checkEcosystem(client, ecosystem)).rejects.toThrow(/not as it was: (registry|participants) \/ /)
  })

  it('is refused when a key of one of its DIDs was rotated', async () => {
    const [did] = ecosystem.dids
    await client.finished((await client.call<{ id: string }>('PATCH', `/dids/${did}`, { keyType: 'ed25519' })).id)
    // Documents are compared first: it is not told that a participant is suspended.
    await expect(checkEcosystem(client, ecosystem)).rejects.toThrow(`not as it was: document of ${did} / `)
  })
})

/** Returns what a trial reads on the page of an ecosystem, of now or of a block, and whether it says that one stands well. */
async function pageOf(asked: Parameters<typeof questionsOn>[0], at?: number) {
  const page = questionsOn(asked).find(({ name }) => name === 'page')
  const query = at === undefined ? '' : `?at=${at}`
  const answer = await fetch(`${apiUrl}/ecosystems/${asked.ecosystem.registry}${query}`)
  const text = await answer.text()
  return [page?.read(answer.status, text), text.includes('In good standing')]
}

describe('the writer of a trial', () => {
  let ground: Ground
  beforeAll(async () => {
    ground = await makeGround(client)
  })
  const written = async (besides: () => Promise<unknown>) => {
    const writer = new Writer({ apiUrl, apiKey, isRemoved: false }, ground)
    await writer.begin()
    await besides()
    return writer.end()
  }

  it('finds everything once that it was told to be accepted', async () => {
    expect(await written(async () => {})).toMatch(/^\d+ DIDs, .*, each final once$/)
  })

  it.each([
    ['DIDs', () => client.call('POST', '/dids', {})],
    [
      'credentials',
      () => {
        const credential = { type: ['UniversityDegreeCredential'], issuer: ground.member, subject: { degree: 'M.Sc.' } }
        return client.call('POST', '/credentials', { revocable: true, credential })
      },
    ],
  ])('refuses %s of a request that was done twice', async (name, twice) => {
    await expect(written(twice)).rejects.toThrow(new RegExp(`^\\d+ ${name} were accepted, and there are \\d+ more`))
  })
})

describe('the program by which a client accepts the product', () => {
  /** It makes a DID, and looks whether the service has one by the kept name. */
  const PROGRAM = `
    import { readFileSync, writeFileSync } from 'node:fs'
    const [ready, what, state] = process.argv.slice(2)
    const { apiUrl, apiKey } = JSON.parse(readFileSync(ready, 'utf8'))
    const ask = async (method, path, body) => {
      const answer = await fetch(apiUrl + path, {
        method, body, headers: { 'content-type': 'application/json', 'SVC-API-TOKEN': apiKey },
      })
      return [answer.status === 200, await answer.json()]
    }
    let isPassed = true
    if (what === '--save') writeFileSync(state, (await ask('POST', '/dids', '{}'))[1].did)
    else [isPassed] = await ask('GET', '/dids/' + readFileSync(state, 'utf8'))
    console.log(isPassed ? 'ok    the DID is there' : 'FAIL  the DID is there')
    console.log(isPassed ? '1 passed, 0 failed' : '0 passed, 1 failed')
    process.exit(isPassed ? 0 : 1)`
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'accredit-acceptance-'))
  })
  afterAll(() => rm(folder, { recursive: true }))
  const begun = async (text: string) => {
    const program = join(folder, 'accept.mjs')
    await writeFile(program, text)
    return Acceptance.begin(program, folder, { apiUrl, apiKey })
  }

  it('looks after what it made, and fails in its own words where that is not there', async () => {
    const acceptance = await begun(PROGRAM)
    expect(await acceptance.check()).toBe('1 passed, 0 failed')
    await writeFile(join(folder, 'accepted.json'), `did:svc:${'1'.repeat(43)}`)
    await expect(acceptance.check()).rejects.toThrow('FAIL  the DID is there')
    await expect(acceptance.afterChange()).rejects.toThrow('found nothing as it was')
  })

  it('is told which of its things were changed on purpose, and makes others', async () => {
    const program = PROGRAM.replace(
      "'1 passed, 0 failed'",
      "what === '--check' ? '1 passed, 1 failed' : '1 passed, 0 failed'",
    )
    const acceptance = await begun(program)
    const told = '1 passed, 1 failed by what was changed on purpose, then anew 1 passed, 0 failed'
    expect(await acceptance.afterChange()).toBe(told)
    await expect(acceptance.check()).rejects.toThrow('did not pass')
  })

  it.each([
    ['a failed step', "console.log('1 passed, 1 failed')", '1 passed, 1 failed'],
    ['no step at all', "console.log('0 passed, 0 failed')", '0 passed, 0 failed'],
    ['nothing told', '', 'did not pass'],
    ['an end in the middle', "console.log('ok'); throw new Error('gone')", 'Error: gone'],
  ])('fails with %s', async (_, text, words) => {
    await expect(begun(text)).rejects.toThrow(words)
  })
})
