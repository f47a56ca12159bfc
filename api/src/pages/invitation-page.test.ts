import type { Did, Hex32 } from '@accredit/chain'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signInvitation } from '../ecosystems/invitations/invitation-token.js'
import { keyOfInvitations } from '../ecosystems/invitations/invitations.js'
import { TestEcosystems } from '../ecosystems/testing.js'
import { type TestTeam, testDerivation } from '../platform/testing/scratch-database.js'
import { pages } from './operations.js'

const DEGREE = 'https://schemas.example/Degree.json'
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

let world: TestEcosystems
let owner: TestTeam
let guest: TestTeam
let convener: Did
let registry: Hex32
beforeAll(async () => {
  world = await TestEcosystems.open({}, [pages])
  owner = await world.team()
  guest = await world.team()
  convener = await world.organisation(owner, 'Yükseköğretim Kurulu')
  registry = await world.registry(owner, convener, 'Diplomas & Degrees')
})
afterAll(() => world?.close())

const invite = async (body: object = {}): Promise<string> =>
  (await world.call(owner, 'POST', `/trust-registries/${registry}/participants`, body)).body.link

async function opened(link: string, headers: Record<string, string> = {}) {
  const { pathname, search } = new URL(link)
  const answer = await world.app.inject({ url: `${pathname}${search}`, headers: { accept: BROWSER, ...headers } })
  const text = answer.body
    .replace(/<style>.*<\/style>/s, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
  return { status: answer.statusCode, headers: answer.headers, body: answer.body, text }
}

const answer = (what: string, body: object) => world.call(guest, 'POST', `/trust-registries/invitations/${what}`, body)

describe('the link of an invitation', () => {
  test('shows in a browser who invites to what until when, and how to accept', async () => {
    const link = await invite({ maxAge: 86_400, issuerSchemas: [DEGREE], verifierSchemas: [DEGREE] })
    const { status, headers, text, body } = await opened(link)
    expect(status).toBe(200)
    for (const part of [
      'Yükseköğretim Kurulu invites you',
      'Diplomas &#38; Degrees',
      `issue ${DEGREE}`,
      `verify ${DEGREE}`,
      'Good until',
      'POST /trust-registries/invitations/accept',
      'POST /trust-registries/invitations/decline',
    ])
      expect(text).toContain(part)
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
    expect(body).toMatch(new RegExp(`<time datetime="${tomorrow}`))
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'content-language': 'en',
      vary: 'Accept, Accept-Language',
      'content-security-policy': expect.stringMatching(/^default-src 'none'; style-src 'sha256-/),
    })
    // The page tells no secret to somebody who reads over a shoulder or keeps it.
    expect(body).not.toContain(link.slice(-40))
    expect((await opened(await invite())).text).toContain('May verify what anyone may verify')
  })

  test('speaks Turkish to who prefers it', async () => {
    const { text, headers, body } = await opened(await invite(), { 'accept-language': 'tr-TR,en;q=0.5' })
    expect(text).toContain('ekosistemine katılmaya davet ediyor')
    expect(headers['content-language']).toBe('tr')
    expect(body).toContain('<html lang="tr">')
  })

  test('says clearly that it is over, and why: 410', async () => {
    const told = async (link: string) => {
      const { status, text, headers } = await opened(link)
      expect([status, headers['cache-control'], headers['content-type']]).toEqual([
        410,
        'no-store',
        'text/html; charset=utf-8',
      ])
      return text
    }
    const token = await invite()
    expect((await answer('decline', { token })).status).toBe(200)
    expect(await told(token)).toContain('It was declined')
    const used = await invite()
    const did = await world.organisation(guest, 'Oxford')
    expect((await answer('accept', { token: used, did })).status).toBe(200)
    expect(await told(used)).toContain('It was accepted before')
    const key = keyOfInvitations({ deriveKey: testDerivation })
    const said = { id: registry, convener, team: owner.team, nonce: '0'.repeat(32), isTestmode: true }
    const lastYear = new Date('2025-01-31T11:59:00Z')
    const expired = await signInvitation(key, { ...said, issuerSchemas: [], verifierSchemas: [] }, lastYear, 60)
    expect(await told(`https://api.example/ecosystems?token=${expired}`)).toContain(
      'It expired on 31 January 2025, 12:00:00 UTC',
    )
    const moved = await invite()
    const next = await world.organisation(owner, 'Next')
    await world.block(async (height) => {
      await world.endRegistry(registry, height)
      await world.registryRow(registry, next, 'Diplomas & Degrees', '0x31', height)
    })
    expect(await told(moved)).toContain('changed hands')
    await world.block((height) => world.endRegistry(registry, height))
    expect(await told(moved)).toContain('Its ecosystem was removed')
  })

  test('that is none is told so: 404', async () => {
    const origin = 'https://api.example/ecosystems'
    for (const link of [
      origin,
      `${origin}?token=`,
      `${origin}?token=<script>alert(1)</script>`,
      `${origin}?token=a.b.c`,
    ]) {
      const { status, text, body } = await opened(link)
      expect([status, text.includes('This is no invitation')], link).toEqual([404, true])
      expect(body).not.toContain('<script')
    }
  })

  test('is a sentence for programs, and nothing of its token is looked at', async () => {
    for (const url of ['/ecosystems?token=a.b.c', '/ecosystems'])
      for (const accept of [undefined, '*/*', 'application/json']) {
        const { statusCode, headers, body } = await world.app.inject({ url, headers: accept ? { accept } : {} })
        expect([statusCode, JSON.parse(body).message]).toEqual([200, expect.stringContaining('/invitations/accept')])
        expect(headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
      }
  })
})
