import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { call, EmbeddedCouncil } from '../test/support/embedded-council.js'
import { root } from '../test/support/repository-files.js'
import { withLedger } from './council/ledger-client.js'
import { runtimeOfFile } from './council/proposals.js'

/** A runtime that comes after any release. */
const NEXT_RUNTIME = join(root, 'chain/artifact/testing/next.wasm')

let council: EmbeddedCouncil
beforeAll(async () => {
  council = await EmbeddedCouncil.open(['one', 'two', 'three'])
})
afterAll(() => council?.close())

beforeEach(() => {
  council.told.splice(0)
})

const by = (member: number, ...argv: string[]) => council.by(member, ...argv)

/** The words before the end of a motion that paid an account what is usual. */
const endOf = (number: number | string, address: string, amount = 10n ** 18n) =>
  `Without carrying it out, this ends motion ${number}, which pays ${address} ${amount} from the treasury.`

describe('a council of three, each of whom has a key of its own', () => {
  it('pays from the treasury when a second member agrees, and not before', async () => {
    const { address } = await council.newAccount('paid')
    const before = BigInt((await council.status()).treasury.balance)
    expect(await by(0, 'propose', 'fund', address, '--amount', '1000')).toMatch(/More votes are needed/)
    expect(await council.openMotions()).toMatchObject([
      { does: `pays ${address} 1000 from the treasury`, needed: 2, ayes: [council.members[0]?.address], nays: [] },
    ])
    expect(JSON.parse(await council.run('status', '--json'))).toEqual(await council.status())
    // A member whose command broke off says it again: that is no second motion, and no second vote.
    expect(await by(0, 'propose', 'fund', address, '--amount', '1000')).toMatch(/More votes are needed/)
    expect(await by(0, 'vote', await council.motion())).toMatch(/More votes are needed/)
    expect(await by(1, 'vote', await council.motion())).toMatch(/The council agreed, and it is done/)
    expect(await council.openMotions()).toEqual([])
    // Fees of the votes come in meanwhile.
    expect(before - BigInt((await council.status()).treasury.balance)).toBeLessThanOrEqual(1000n)
    const account = await council.writer.api.query.system?.account?.(address)
    expect(account?.toJSON()).toMatchObject({ data: { free: 1000 } })
  })

  it('waits for nothing any more once it is interrupted', async () => {
    const controller = new AbortController()
    const never = () => {
      controller.abort(new Error('interrupted'))
      return new Promise<never>(() => {})
    }
    await expect(withLedger(council.url, never, controller.signal)).rejects.toThrow('interrupted')
    await expect(withLedger(council.url, never, controller.signal)).rejects.toThrow('interrupted')
  })

  it('votes a motion down when two are against it', async () => {
    const { address } = await council.newAccount('refused')
    await by(0, 'propose', 'fund', address)
    const number = await council.motion()
    expect(await by(1, 'vote', number, '--against')).toMatch(/against: .*More votes are needed/s)
    expect(council.told).toEqual([])
    expect(await by(2, 'vote', number, '--against')).toMatch(/The motion was voted down/)
    expect(council.told).toEqual([endOf(number, address)])
    await expect(by(2, 'vote', number)).rejects.toThrow(`Motion ${number} is not open: none is.`)
  })

  it('tells what it does before it closes a motion that others voted down', async () => {
    const { address } = await council.newAccount('left open')
    await by(0, 'propose', 'fund', address)
    const [{ hash, number } = { hash: '', number: 0 }] = await council.openMotions()
    // Another tool votes and leaves the close to others.
    for (const member of [1, 2]) await council.asMember(member, call('council', 'vote', hash, number, false))
    expect(await by(0, 'close', String(number))).toMatch(/The motion was voted down/)
    expect(council.told).toEqual([endOf(number, address)])
  })

  it('closes a motion once when two members decide it at the same moment', async () => {
    const { address } = await council.newAccount('twice')
    await by(0, 'propose', 'fund', address, '--amount', '7')
    const number = await council.motion()
    const answers = await Promise.all([by(1, 'vote', number), by(2, 'vote', number)])
    expect(answers.join('\n')).toMatch(/it is done/)
    expect(await council.openMotions()).toEqual([])
    const account = await council.writer.api.query.system?.account?.(address)
    expect(account?.toJSON()).toMatchObject({ data: { free: 7 } })
  })

  it('carries nothing out by a vote against it, also where it has its votes', async () => {
    const { address } = await council.newAccount('carried')
    await by(0, 'propose', 'fund', address, '--amount', '9')
    const number = await council.motion()
    const [open] = await council.openMotions()
    await council.asMember(1, call('council', 'vote', open?.hash, Number(number), true))
    expect(await by(2, 'vote', number, '--against')).toMatch(/close carries it out/)
    expect(council.told.join()).not.toMatch(/carries out motion/)
    // The same vote once more changes nothing.
    expect(await by(2, 'vote', number, '--against')).toMatch(/close carries it out/)
    expect(await by(2, 'close', number)).toMatch(/it is done/)
  })

  it('closes no motion by votes that others change in a block that is not final yet', async () => {
    const { address } = await council.newAccount('changed')
    await by(0, 'propose', 'fund', address, '--amount', '9')
    const number = await council.motion()
    const [open] = await council.openMotions()
    const vote = (isFor: boolean) => call('council', 'vote', open?.hash, Number(number), isFor)
    for (const member of [1, 2]) await council.asMember(member, vote(false))
    const final = await council.head()
    await council.asMember(1, vote(true))
    const said = await council.behind([final, final], 2, 'vote', number, '--against')
    expect(council.told.at(-1)).toContain('in a block that is not final yet: close it in a moment')
    expect(said).not.toMatch(/it is done/)
    await expect(council.behind([final, final], 2, 'close', number)).rejects.toThrow('not final yet')
    expect(await council.openMotions()).toHaveLength(1)
    await by(1, 'vote', number, '--against')
    expect(await council.openMotions()).toEqual([])
  })

  it('closes no motion with the votes of a smaller council than there is now', async () => {
    const fourth = await council.newAccount('later')
    const { address } = await council.newAccount('grown')
    await by(0, 'propose', 'fund', address, '--amount', '9')
    const number = await council.motion()
    await by(0, 'propose', 'add-member', fourth.address)
    const seat = (await council.openMotions()).find(({ number: other }) => String(other) !== number)
    await by(1, 'vote', String(seat?.number))
    expect(await by(1, 'vote', number)).toMatch(/3 have to agree.*More votes are needed/s)
    await expect(by(0, 'close', number)).rejects.toThrow('2 of the 3 that have to agree do')
    expect(await by(2, 'vote', number)).toMatch(/it is done/)
    await council.seat(council.members)
  })

  it('gives and takes a seat, and refuses who has none', async () => {
    const fourth = await council.newAccount('four')
    await expect(council.run('propose', 'add-member', fourth.address, '--key', fourth.file)).rejects.toThrow(
      `${fourth.address} is no member of the council.`,
    )
    await by(0, 'propose', 'add-member', fourth.address)
    await by(1, 'vote', await council.motion())
    expect((await council.status()).members).toContain(fourth.address)
    await by(0, 'propose', 'remove-member', fourth.address)
    const number = await council.motion()
    // Three of four have to agree now.
    expect(await by(1, 'vote', number)).toMatch(/3 have to agree.*More votes are needed/s)
    expect(await by(2, 'vote', number)).toMatch(/it is done/)
    expect((await council.status()).members).toEqual(council.members.map(({ address }) => address).toSorted())
  })

  it('lets a member give its seat to a key of its own choice', async () => {
    const [first] = council.members
    if (!first) throw new Error('there is no member')
    const next = await council.newAccount('next')
    await expect(by(0, 'give-seat', council.members[1]?.address ?? '')).rejects.toThrow(/councilMembers\.AlreadyMember/)
    expect(await by(0, 'give-seat', next.address)).toContain(`${next.address} is a member of the council`)
    expect((await council.status()).members).not.toContain(first.address)
    await expect(by(0, 'give-seat', next.address)).rejects.toThrow(/is no member of the council/)
    await council.seat(council.members)
  })

  it('tells a motion that no command of ours makes by its name, and does not close it before its time', async () => {
    const remark = call('system', 'remark', '0x07')
    await council.asMember(0, call('council', 'propose', 2, remark, 1_000))
    expect(await council.openMotions()).toMatchObject([{ does: 'calls system.remark("0x07")' }])
    const number = await council.motion()
    await expect(by(0, 'close', number)).rejects.toThrow(
      `Motion ${number} is not decided, and its time is not over: 0 of the 2`,
    )
    expect(council.told).toEqual([])
    await by(1, 'vote', number, '--against')
    await by(2, 'vote', number, '--against')
  })

  it('goes on with the other motions when one cannot be read', async () => {
    const { address } = await council.newAccount('unread')
    await by(0, 'propose', 'fund', address, '--amount', '3')
    const [unread] = await council.openMotions()
    if (!unread) throw new Error('there is no motion')
    // A runtime that has no such call any more reads nothing of it.
    const kept = council.writer.api.query.council?.proposalOf?.key(unread.hash) ?? ''
    await council.writer.submitAsRoot(call('system', 'setStorage', [[kept, '0xfeff']]))
    expect(await council.openMotions()).toMatchObject([{ does: `does something unknown (call ${unread.hash})` }])
    expect(await council.run('status')).toMatch(/its call cannot be read .*; vote --against it/)
    await expect(by(1, 'vote', String(unread.number))).rejects.toThrow(/its call cannot be read/)

    await by(0, 'propose', 'fund', address, '--amount', '4')
    expect(await by(1, 'vote', String(unread.number + 1))).toMatch(/it is done/)
    await by(1, 'vote', String(unread.number), '--against')
    expect(await by(2, 'vote', String(unread.number), '--against')).toMatch(/voted down/)
    expect(await council.openMotions()).toEqual([])
  })

  it('takes away a motion whose time is over', async () => {
    const { address } = await council.newAccount('late')
    await by(0, 'propose', 'fund', address, '--amount', '5')
    const [late] = await council.openMotions()
    if (!late) throw new Error('there is no motion')
    await expect(by(1, 'close', String(late.number))).rejects.toThrow(/its time is not over/)
    const votes = await council.writer.api.query.council?.voting?.(late.hash)
    const over = Buffer.alloc(4)
    over.writeUInt32LE(await council.height())
    const bytes = Buffer.concat([Buffer.from((votes?.toU8a() ?? new Uint8Array()).slice(1, -4)), over])
    const kept = council.writer.api.query.council?.voting?.key(late.hash) ?? ''
    await council.writer.submitAsRoot(call('system', 'setStorage', [[kept, `0x${bytes.toString('hex')}`]]))
    expect(await by(1, 'close', String(late.number))).toMatch(/0 blocks are left\n.*voted down/s)
    expect(council.told).toEqual([endOf(late.number, address, 5n)])
    expect(await council.openMotions()).toEqual([])
    expect((await council.writer.api.query.system?.account?.(address))?.toJSON()).toMatchObject({ data: { free: 0 } })
  })

  it('runs a newer runtime when it is brought, whose hash it voted for', async () => {
    await by(0, 'propose', 'upgrade', NEXT_RUNTIME)
    const number = await council.motion()
    const present = join(root, 'chain/artifact/accredit_runtime.compact.compressed.wasm')
    await expect(by(1, 'vote', number, '--file', present)).rejects.toThrow(
      /allows the runtime .*, and not that of the file/,
    )
    await expect(by(1, 'bring', NEXT_RUNTIME)).rejects.toThrow(/has not voted for a runtime that is still to come/)
    expect((await council.status()).runtimeToBring).toBeNull()
    expect(await by(1, 'vote', number, '--file', NEXT_RUNTIME)).toMatch(/The council agreed\. .* bring FILE/)
    // A member that was away sees it too: no motion is left that would say so.
    const { hash } = await runtimeOfFile(NEXT_RUNTIME)
    expect(await council.run('status')).toMatch(
      new RegExp(`Allowed: the runtime of the hash ${hash}\\. .*bring FILE --key FILE`),
    )
    await expect(by(1, 'bring', present)).rejects.toThrow(/^The council voted for the runtime 0x.*, and this one is 0x/)
    expect(await by(1, 'bring', NEXT_RUNTIME)).toMatch(/^The network has runtime 1000000 now/)
    expect(await by(1, 'bring', NEXT_RUNTIME)).toMatch(/^The network has runtime 1000000 now/)
    expect(await council.run('status')).not.toContain('Allowed:')
    await expect(by(0, 'propose', 'upgrade', NEXT_RUNTIME)).rejects.toThrow(/version 1000000 is no later one/)
  })
})
