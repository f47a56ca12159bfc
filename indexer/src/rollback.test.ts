import { hex32Of } from '@accredit/chain'
import { randomKeys } from '@accredit/embedded-ledger'
import pg from 'pg'
import { expect, test } from 'vitest'
import { scratchDatabase } from '../../test/support/scratch-database'
import { calls, TestChain } from './testing/chain'
import { ensure } from './testing/every-event'
import { IndexProcess, projections } from './testing/index-process'
import { LedgerSwitch } from './testing/switch'

const id = (byte: number) => hex32Of(new Uint8Array(32).fill(byte))
const registryId = id(1)
const status = (revoke: number[]) => calls.revocation.setStatus({ registryId: id(2), revoke, unrevoke: [] })

async function copyOf(url: string): Promise<{ url: string; drop(): Promise<void> }> {
  const target = await scratchDatabase()
  const [from, to] = [url, target.url].map((one) => new URL(one).pathname.slice(1))
  const client = new pg.Client({ connectionString: Object.assign(new URL(url), { pathname: '/postgres' }).href })
  await client.connect()
  await client.query(`DROP DATABASE ${to}`)
  await client.query(`CREATE DATABASE ${to} TEMPLATE ${from}`)
  await client.end()
  return target
}

/*
 *            /- A: issuer suspended, renamed, bit set - a bit in each further block   (indexed first, then dropped)
 *   common -+
 *            \- B: verifier listed - idle …                                           (the chain in the end)
 */
test.each([1, 10])(
  '%i blocks that the ledger takes back leave nothing behind, and what they had ended is open again',
  async (depth) => {
    const keys = randomKeys()
    const common = await scratchDatabase()
    const indexed = await scratchDatabase()
    const rebuilt = await scratchDatabase()
    let chain = await TestChain.open(common.url, keys)
    const convener = await chain.createDid()
    const issuer = await chain.createDid()
    const kind = { StatusList: { length: 131_072 } }
    const policy = { registryId: id(2), policy: [issuer.did], addOnly: false, kind }
    await chain.act(convener, calls.trustRegistry.initOrUpdate({ registryId, name: 'One', govFramework: 'x' }))
    await chain.act(convener, ensure(registryId, { schema: id(3), issuers: [issuer.did] }))
    await chain.act(issuer, calls.revocation.create(policy))
    await chain.act(issuer, status([1]))
    await chain.close()
    const other = await copyOf(common.url)
    chain = await TestChain.open(common.url, keys)
    const otherChain = await TestChain.open(other.url, keys)
    const nonces = [convener.nonce, issuer.nonce] as const

    const gate = await LedgerSwitch.to(chain.url)
    let indexer = await IndexProcess.start(indexed.url, gate.url)
    try {
      await chain.actTogether([
        [convener, [calls.trustRegistry.suspendIssuers({ registryId, dids: [issuer.did] })]],
        [convener, [calls.trustRegistry.initOrUpdate({ registryId, name: 'Two', govFramework: 'y' })]],
        [issuer, [status([2])]],
      ])
      for (let bit = 3; bit < depth + 2; bit += 1) await chain.act(issuer, status([bit]))
      await indexer.reaches(await chain.height())
      const before = await projections(indexed.url)
      expect(before.suspension).toHaveLength(1)
      expect(before.trust_registry?.at(-1)).toMatchObject({ name: 'Two' })

      Object.assign(convener, { nonce: nonces[0] })
      Object.assign(issuer, { nonce: nonces[1] })
      await otherChain.act(convener, ensure(registryId, { schema: id(3), verifiers: [convener.did] }))
      for (let further = 1; further < depth; further += 1) await otherChain.idle()
      const height = await otherChain.idle()
      gate.turnTo(otherChain.url)
      await indexer.reaches(height)

      const after = await projections(indexed.url)
      expect(after.suspension).toEqual([])
      expect(after.status_bit).toHaveLength(1)
      expect(after.trust_registry?.filter((row) => Object(row).to_block === null)).toMatchObject([{ name: 'One' }])
      await indexer.stop()
      indexer = await IndexProcess.start(rebuilt.url, otherChain.url)
      expect(after).toEqual(await projections(rebuilt.url))
    } finally {
      await indexer.stop()
      await gate.close()
      await Promise.all([chain.close(), otherChain.close()])
      await Promise.all([common, other, indexed, rebuilt].map((database) => database.drop()))
    }
  },
)
