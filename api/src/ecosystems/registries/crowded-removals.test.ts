/** Removals of registries and schemas with as many participants and delegates as may be, over a real ledger. */

import { randomBytes } from 'node:crypto'
import { didKey, hexOf } from '@accredit/chain'
import { afterAll, expect, test } from 'vitest'
import { one, Stage, two } from '../writes-stage.testing.js'

const stage = await Stage.open()
const { service } = stage
afterAll(() => service.close())

/** The number that no convener could remove if their delegations did not count. */
const [ISSUERS, DELEGATES, VERIFIERS] = [64, 16, 300]

const someDids = (count: number) =>
  Array.from({ length: count }, () => didKey({ kind: 'Ed25519', publicKey: hexOf(randomBytes(32)) }) ?? '')

/** Makes a registry with issuers who each have as many delegates as they may. */
async function crowd(issuers: string[], more: object[] = []): Promise<{ url: string; delegate: () => Promise<void> }> {
  const { owner, convener } = stage
  const texts = { description: '', logoUrl: 'https://example.org/l.png', ecosystemUrl: 'https://example.org' }
  const governance = { governanceFramework: '# Rules', governanceFrameworkVersion: '1' }
  const made = await stage.by(owner, 'POST', '/trust-registries', { convener, name: 'Crowd', ...texts, ...governance })
  const url = `/trust-registries/${made.body.id}`
  await service.untilDone()
  const rows = issuers.map((did) => ({ did, name: 'Issuer', issuerSchemas: more.length > 0 ? [one, two] : [one] }))
  await stage.by(owner, 'POST', `${url}/participants/bulk`, [...rows, ...more])
  await service.untilDone()
  const delegates = someDids(DELEGATES)
  const delegate = async () => {
    for (const did of issuers)
      expect((await stage.by(owner, 'PUT', `${url}/issuers/${did}/delegates`, { delegates })).status).toBe(200)
  }
  return { url, delegate }
}

const ended = async (job: string | undefined) => {
  for (let step = 0; step < 5; step += 1) {
    await service.untilDone()
    const { body } = await stage.get(stage.owner, `/jobs/${job}`)
    if (body.status === 'finalized' || body.status === 'error') return body
  }
  throw new Error(`job ${job} does not end`)
}

test('issuers with all the delegates that they may have block no removal, also when they name them at its moment', async () => {
  // The calls are of one team, whose actions stay in order.
  const made = Array.from({ length: ISSUERS }, () => stage.by(stage.owner, 'POST', '/dids', {}))
  const issuers = (await Promise.all(made)).map(({ body }) => body.did)
  await service.untilDone()
  const { url, delegate } = await crowd(issuers)
  // The removal is planned before the index has the issuers' changes.
  await delegate()
  const { job } = await stage.by(stage.owner, 'DELETE', `${url}/schemas/${encodeURIComponent(one)}`)
  expect(await service.parts(job)).toHaveLength(1)
  expect(await ended(job)).toMatchObject({ status: 'finalized', result: { refused: [] } })
  expect((await stage.get(stage.owner, `${url}/schemas`)).body.total).toBe(0)

  const verifiers = someDids(VERIFIERS).map((did) => ({ did, name: 'Verifier', verifierSchemas: [two] }))
  const mixed = await crowd(issuers, verifiers)
  await mixed.delegate()
  await service.untilDone()
  const removed = await stage.by(stage.owner, 'DELETE', mixed.url)
  expect((await service.parts(removed.job)).length).toBeGreaterThan(2)
  expect(await ended(removed.job)).toMatchObject({ status: 'finalized', result: { refused: [] } })
  expect((await stage.get(undefined, `${mixed.url}/public`)).status).toBe(404)
})

test('two removals of one registry at once are both done when the first is, and none begins again', async () => {
  const rows = [{ did: stage.issuer, name: 'Issuer', issuerSchemas: [one, two] }]
  const { url } = await crowd([], rows)
  const remove = () => stage.by(stage.owner, 'DELETE', url)
  const ofOne = () => stage.by(stage.owner, 'DELETE', `${url}/schemas/${encodeURIComponent(one)}`)
  const removals = [await remove(), await remove(), await ofOne()]
  const planned = await Promise.all(removals.map(({ job }) => service.parts(job)))
  for (const { job } of removals) expect(await ended(job)).toMatchObject({ status: 'finalized' })
  expect(await Promise.all(removals.map(({ job }) => service.parts(job)))).toEqual(planned)
  expect((await stage.get(undefined, `${url}/public`)).status).toBe(404)
})
