import { afterAll, beforeAll, expect, test } from 'vitest'
import { allServed } from '../../platform/testing/all-served.js'
import { sentStatements } from '../../platform/testing/sent-statements.js'
import { degree, TestService } from '../loop.testing.js'
import { PASSWORD_COST } from './persisted.js'

let service: TestService
let kept: string
beforeAll(async () => {
  service = await TestService.open(allServed, { passwordCost: PASSWORD_COST })
  const issuer = await service.did()
  const { body } = await service.issue({ subject: degree, issuer }, { persist: true, password: 'sesame' })
  kept = new URL(body.id).pathname
})
afterAll(() => service.close())

/** Each guess comes from a network of its own. */
let networks = 0
async function guess(path: string, from = `2001:db8:0:${(networks++).toString(16)}::1`) {
  const p = encodeURIComponent(Buffer.from('wrong').toString('base64'))
  const { status, body } = await service.call('GET', `${path}?p=${p}`, undefined, '', { 'x-forwarded-for': from })
  return { status, body: { ...body, requestId: undefined } }
}

const nothing = `/c/${'ab'.repeat(32)}`

test('a guess at an address without a persisted credential sends the same statements, and is answered with the same words', async () => {
  const answers: unknown[] = []
  // The worker of this process looks after other tables meanwhile.
  const workOf = async (path: string) => {
    const sent = await sentStatements(async () => answers.push(await guess(path)))
    return sent.filter((text) => text.includes('from "credentials"'))
  }
  for (const path of [kept, nothing]) await workOf(path)
  const ofKept = await workOf(kept)
  expect(ofKept).toHaveLength(2)
  expect(await workOf(nothing)).toEqual(ofKept)
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
})

test('it derives a key as well: the processor works for it at least half as much', async () => {
  const costOf = async (path: string) => {
    const costs: number[] = []
    for (let i = 0; i < 4; i++) {
      const before = process.cpuUsage()
      await guess(path)
      const { user, system } = process.cpuUsage(before)
      costs.push(user + system)
    }
    return Math.min(...costs)
  }
  expect(await costOf(nothing)).toBeGreaterThan((await costOf(kept)) / 2)
})

test('it is refused after as many guesses of one network', async () => {
  const guesses = async (path: string, from: string) => {
    const statuses: number[] = []
    for (let i = 0; i < 6; i++) statuses.push((await guess(path, from)).status)
    return statuses
  }
  const limited = [404, 404, 404, 404, 404, 429]
  expect(await guesses(kept, '198.51.100.1')).toEqual(limited)
  expect(await guesses(nothing, '198.51.100.2')).toEqual(limited)
})
