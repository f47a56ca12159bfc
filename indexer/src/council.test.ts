import { chainTypes } from '@accredit/chain'
import { randomKeys } from '@accredit/embedded-ledger'
import pg from 'pg'
import { expect, test } from 'vitest'
import { scratchDatabase } from '../../test/support/scratch-database'
import { LedgerWriter } from '../../test/testing/random-ledger/ledger-writer'
import { TestChain } from './testing/chain'
import { IndexProcess } from './testing/index-process'

const call = (pallet: string, name: string, ...args: unknown[]) => chainTypes().call(pallet, name, ...args)

/** The account of a member that does nothing. */
const ANOTHER = `0x${'11'.repeat(32)}`

interface IndexedChain {
  client: pg.Client
  index: IndexProcess
  writer: LedgerWriter
}

/** Lets some work be done on a chain of its own whose index is followed. */
async function onIndexedChain(work: (chain: IndexedChain) => Promise<void>): Promise<void> {
  const keys = randomKeys()
  const database = await scratchDatabase()
  const chain = await TestChain.open(database.url, keys)
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const index = await IndexProcess.start(database.url, chain.url)
  const writer = await LedgerWriter.connect(chain.url, keys.sudo)
  try {
    await work({ client, index, writer })
  } finally {
    await writer.close()
    await index.stop()
    await client.end()
    await chain.close()
    await database.drop()
  }
}

test('an act of root by the same call is told as root’s', async () => {
  await onIndexedChain(async ({ client, index, writer }) => {
    const act = call('governance', 'act', call('councilMembers', 'resetMembers', [ANOTHER]))
    const { height, hash } = await writer.submitAsRoot(act)
    await index.reaches(height, hash)
    const { rows } = await client.query('SELECT name, actor, submitter FROM ledger.event WHERE block = $1', [height])
    expect(rows).toEqual([{ name: 'CouncilMembers.MembersReset', actor: 'root', submitter: null }])
  })
})

/*
 *   root makes the fee account the only member of a council · it acts, then proposes · root adds a member · the first
 *   one makes calls alone
 */
test('an event of the council has the council as its actor, and one of a member, also of what it does alone, has its account', async () => {
  await onIndexedChain(async ({ client, index, writer }) => {
    const member = writer.place.submitter
    const members = await writer.submitAsRoot(call('councilMembers', 'resetMembers', [member]))
    const remark = call('system', 'remark', '0x')
    const act = call('governance', 'act', remark)
    await writer.submit([call('council', 'propose', 1, act, 1_000), call('council', 'propose', 2, remark, 1_000)])
    const two = await writer.submitAsRoot(call('councilMembers', 'resetMembers', [member, ANOTHER]))
    const alone = await writer.submit([
      call('council', 'propose', 1, call('system', 'remark', '0x01'), 1_000),
      call('council', 'execute', remark, 1_000),
    ])
    await index.reaches(alone.height, alone.hash)
    const { rows } = await client.query(
      'SELECT name, actor, submitter, after FROM ledger.event WHERE block >= $1 AND block <> $2 ORDER BY block, index',
      [members.height, two.height],
    )
    expect(rows).toEqual([
      { name: 'CouncilMembers.MembersReset', actor: 'root', submitter: null, after: null },
      { name: 'Governance.Acted', actor: 'council', submitter: null, after: null },
      { name: 'Council.Executed', actor: 'council', submitter: null, after: { succeeded: true } },
      { name: 'Council.Proposed', actor: member, submitter: member, after: { motion: 0, threshold: 2 } },
      { name: 'Council.Executed', actor: member, submitter: member, after: { succeeded: true } },
      { name: 'Council.MemberExecuted', actor: member, submitter: member, after: { succeeded: true } },
    ])
  })
})
