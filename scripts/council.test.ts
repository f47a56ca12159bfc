import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chainTypes, type EncodedCall } from '@accredit/chain'
import { type OpenLedger, openLedger, randomKeys } from '@accredit/embedded-ledger'
import { treasury } from '@accredit/embedded-ledger/network'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sessionKeysFor } from '../test/support/made-session-keys.js'
import { root } from '../test/support/repository-files.js'
import { type ScratchDatabase, scratchDatabase } from '../test/support/scratch-database.js'
import { LedgerWriter } from '../test/testing/random-ledger/ledger-writer.js'
import { withLedger } from './council/ledger-client.js'
import { run } from './council/main.js'
import { parseCouncilOptions } from './council/options.js'
import { runtimeOfFile } from './council/proposals.js'
import { councilStatus } from './council/status.js'

/** A runtime that comes after any release. */
const NEXT_RUNTIME = join(root, 'chain/artifact/testing/next.wasm')
/** A session may end in each block whose number this divides. */
const SESSION_BLOCKS = 10
const call = (pallet: string, name: string, ...args: unknown[]) => chainTypes().call(pallet, name, ...args)

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'accredit-council-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** Runs a command as the command line has it. */
const council = (...argv: string[]) => run(parseCouncilOptions(argv, {}))

/** Makes an account's key, and returns its file and its address. */
async function newAccount(name: string): Promise<{ file: string; address: string }> {
  const file = join(folder, `${name}.key`)
  const [address = ''] = (await council('account', '--key', file)).split('\n')
  return { file, address }
}

/** A real ledger, to whose council of three root has given the seats, and a treasury with money. */
describe('a council of three, each of whom has a key of its own', () => {
  let database: ScratchDatabase
  let ledger: OpenLedger
  let members: { file: string; address: string }[]
  let validator: { file: string; address: string }
  let writer: LedgerWriter

  beforeAll(async () => {
    database = await scratchDatabase()
    members = await Promise.all(['one', 'two', 'three'].map(newAccount))
    validator = await newAccount('validator')
    const keys = randomKeys()
    const feeAccounts = [...members, validator].map(({ address }) => address)
    ledger = await openLedger({ databaseUrl: database.url, keys, feeAccounts: [...feeAccounts, await treasury()] })
    writer = await LedgerWriter.connect(ledger.url, keys.sudo)
    await writer.submitAsRoot(call('councilMembers', 'resetMembers', members.map(({ address }) => address).toSorted()))
  })
  afterAll(async () => {
    await writer.close()
    await ledger.close()
    await database.drop()
  })

  const by = (member: number, ...argv: string[]) =>
    council(...argv, '--url', ledger.url, '--key', members[member]?.file ?? '')
  /** Makes a call as a member, without a command of ours. */
  async function asMember(member: number, made: EncodedCall): Promise<void> {
    const seed = (await readFile(members[member]?.file ?? '', 'utf8')).trim()
    const other = await LedgerWriter.connect(ledger.url, `0x${seed.slice(2)}`)
    await other.submit([made])
    await other.close()
  }

  const status = () => councilStatus(writer.api, Date.now())
  const open = async () => (await status()).motions
  /** Returns the number of the motion that is open. */
  async function motion(): Promise<string> {
    const [only, ...more] = await open()
    expect(more).toEqual([])
    return String(only?.number)
  }

  const height = async () => (await writer.api.rpc.chain.getHeader()).number.toNumber()

  /**
   * Lets a list of validators stand within one session. No embedded ledger has a list but for these tests, and a block
   * in which a session ends has no room for a call.
   */
  async function withinSession(work: () => Promise<void>): Promise<void> {
    while ((await height()) % SESSION_BLOCKS !== 0) await writer.submitAsRoot(call('system', 'remark', '0x'))
    const session = (await height()) / SESSION_BLOCKS
    await work()
    const list = writer.api.query.governance?.validators?.key() ?? ''
    await writer.submitAsRoot(call('system', 'killStorage', [list]))
    expect(Math.floor((await height()) / SESSION_BLOCKS)).toBe(session)
  }

  it('pays from the treasury when a second member agrees, and not before', async () => {
    const { address } = await newAccount('paid')
    const before = BigInt((await status()).treasury.balance)
    expect(await by(0, 'propose', 'fund', address, '--amount', '1000')).toMatch(/More votes are needed/)
    expect(await open()).toMatchObject([
      { does: `pays ${address} 1000 from the treasury`, needed: 2, ayes: [members[0]?.address], nays: [] },
    ])
    expect(JSON.parse(await council('status', '--url', ledger.url, '--json'))).toEqual(await status())
    // A member whose command broke off says it again: that is no second motion, and no second vote.
    expect(await by(0, 'propose', 'fund', address, '--amount', '1000')).toMatch(/More votes are needed/)
    expect(await by(0, 'vote', await motion())).toMatch(/More votes are needed/)
    expect(await by(1, 'vote', await motion())).toMatch(/The council agreed, and it is done/)
    expect(await open()).toEqual([])
    // Fees of the votes come in meanwhile.
    expect(before - BigInt((await status()).treasury.balance)).toBeLessThanOrEqual(1000n)
    const account = await writer.api.query.system?.account?.(address)
    expect(account?.toJSON()).toMatchObject({ data: { free: 1000 } })
  })

  it('waits for nothing any more once it is interrupted', async () => {
    const controller = new AbortController()
    const never = () => {
      controller.abort(new Error('interrupted'))
      return new Promise<never>(() => {})
    }
    await expect(withLedger(ledger.url, never, controller.signal)).rejects.toThrow('interrupted')
    await expect(withLedger(ledger.url, never, controller.signal)).rejects.toThrow('interrupted')
  })

  it('votes a motion down when two are against it', async () => {
    const { address } = await newAccount('refused')
    await by(0, 'propose', 'fund', address)
    const number = await motion()
    expect(await by(1, 'vote', number, '--against')).toMatch(/against: .*More votes are needed/s)
    expect(await by(2, 'vote', number, '--against')).toMatch(/The motion was voted down/)
    await expect(by(2, 'vote', number)).rejects.toThrow(`Motion ${number} is not open: none is.`)
  })

  it('closes a motion once when two members decide it at the same moment', async () => {
    const { address } = await newAccount('twice')
    await by(0, 'propose', 'fund', address, '--amount', '7')
    const number = await motion()
    const answers = await Promise.all([by(1, 'vote', number), by(2, 'vote', number)])
    expect(answers.join('\n')).toMatch(/it is done/)
    expect(await open()).toEqual([])
    const account = await writer.api.query.system?.account?.(address)
    expect(account?.toJSON()).toMatchObject({ data: { free: 7 } })
  })

  it('takes a validator that has named its session keys, and does not let the last one go', async () => {
    await expect(by(0, 'propose', 'add-validator', validator.address)).rejects.toThrow(/has not named the session keys/)
    const signer = ['--url', ledger.url, '--key', validator.file]
    await expect(council('session-keys', ...signer)).rejects.toThrow(/The node makes no keys: .*--rpc-methods unsafe/)
    const { keys, proof, files } = await sessionKeysFor(validator.file)
    const foreign = await sessionKeysFor(members[0]?.file ?? '')
    await expect(council('session-keys', ...signer, '--keys', foreign.keys, '--proof', foreign.proof)).rejects.toThrow(
      /The ledger refused: session\.InvalidProof/,
    )
    expect(await council('session-keys', ...signer, '--keys', keys, '--proof', proof)).toContain(
      `propose add-validator ${validator.address}`,
    )
    await withinSession(async () => {
      expect(await by(0, 'propose', 'add-validator', validator.address)).toContain(
        `adds ${validator.address} to the list of validators, with the keys that have to be in its keystore: ${files.join(' ')}\n`,
      )
      expect(await by(2, 'vote', await motion())).toMatch(
        new RegExp(
          `adds ${validator.address} to the list of validators.*agreed\\. It takes effect after two sessions`,
          's',
        ),
      )
      expect((await status()).validators.listed).toEqual([validator.address])
      expect(await council('status', '--url', ledger.url)).toContain(`${validator.address}  (from the session`)
      // The same keys once more, as after a command that broke off: nobody votes on a validator that is on the list.
      const again = await council('session-keys', ...signer, '--keys', keys, '--proof', proof)
      expect(again).toMatch(/has named its session keys\. They take effect after two sessions/)
      await expect(by(0, 'propose', 'remove-validator', validator.address)).rejects.toThrow(/would stand still/)
    })
  })

  it('tells which keys a validator that comes back needs, which its operator may have deleted', async () => {
    const other = await newAccount('coming and going')
    await writer.submitAsRoot(call('balances', 'forceSetBalance', { Id: other.address }, 10n ** 18n))
    const nameKeys = async () => {
      const { keys, proof, files } = await sessionKeysFor(other.file)
      await council('session-keys', '--url', ledger.url, '--key', other.file, '--keys', keys, '--proof', proof)
      return files.join(' ')
    }
    const old = await nameKeys()
    await withinSession(async () => {
      const { listed } = (await status()).validators
      await writer.submitAsRoot(call('governance', 'setValidators', [...listed, other.address]))
      await writer.submitAsRoot(call('governance', 'setValidators', [validator.address]))
      expect(await by(0, 'propose', 'add-validator', other.address)).toContain(`in its keystore: ${old}\n`)
      const present = await nameKeys()
      const text = await council('status', '--url', ledger.url)
      expect(text).toContain(`in its keystore: ${present}\n`)
      expect(text).not.toContain(old)
      for (const member of [1, 2]) await by(member, 'vote', await motion(), '--against')
    })
  })

  it('agrees to no motion about validators that does something else than when it was proposed', async () => {
    const others = await Promise.all(['fifth', 'sixth'].map(newAccount))
    for (const { file, address } of others) {
      await writer.submitAsRoot(call('balances', 'forceSetBalance', { Id: address }, 10n ** 18n))
      const { keys, proof } = await sessionKeysFor(file)
      await council('session-keys', '--url', ledger.url, '--key', file, '--keys', keys, '--proof', proof)
    }
    const [fifth, sixth] = others.map(({ address }) => address)
    for (const address of [fifth, sixth]) await by(0, 'propose', 'add-validator', address ?? '')
    const motions = await open()
    const [first, second] = motions.map(({ number }) => String(number))
    // Another tool votes and leaves the close to others.
    await asMember(2, call('council', 'vote', motions[1]?.hash, motions[1]?.number, true))
    await withinSession(async () => {
      await by(1, 'vote', first ?? '')
      expect((await status()).validators.listed).toEqual([fifth])
      await expect(by(1, 'vote', second ?? '')).rejects.toThrow(
        /adds .* to and takes .* off the list of validators, with the keys .*: it changes 2 validators instead of one/,
      )
      expect(await council('status', '--url', ledger.url)).toMatch(
        /no command agrees to it or closes it: it changes 2 validators/,
      )
      await expect(by(1, 'close', second ?? '')).rejects.toThrow(/the list was another one when it was proposed/)
      expect(await by(1, 'vote', second ?? '', '--against')).toMatch(/is not closed: as many/)
      expect(await by(2, 'vote', second ?? '', '--against')).toMatch(/voted down/)
    })
  })

  it('gives and takes a seat, and refuses who has none', async () => {
    const fourth = await newAccount('four')
    await expect(
      council('propose', 'add-member', fourth.address, '--url', ledger.url, '--key', fourth.file),
    ).rejects.toThrow(`${fourth.address} is no member of the council.`)
    await by(0, 'propose', 'add-member', fourth.address)
    await by(1, 'vote', await motion())
    expect((await status()).members).toContain(fourth.address)
    await by(0, 'propose', 'remove-member', fourth.address)
    const number = await motion()
    // Three of four have to agree now.
    expect(await by(1, 'vote', number)).toMatch(/3 have to agree.*More votes are needed/s)
    expect(await by(2, 'vote', number)).toMatch(/it is done/)
    expect((await status()).members).toEqual(members.map(({ address }) => address).toSorted())
  })

  it('lets a member give its seat to a key of its own choice', async () => {
    const [first] = members
    if (!first) throw new Error('there is no member')
    const next = await newAccount('next')
    await expect(by(0, 'give-seat', members[1]?.address ?? '')).rejects.toThrow(/councilMembers\.AlreadyMember/)
    expect(await by(0, 'give-seat', next.address)).toContain(`${next.address} is a member of the council`)
    expect((await status()).members).not.toContain(first.address)
    await expect(by(0, 'give-seat', next.address)).rejects.toThrow(/is no member of the council/)
    await writer.submitAsRoot(call('councilMembers', 'resetMembers', members.map(({ address }) => address).toSorted()))
  })

  it('tells a motion that no command of ours makes by its name, and does not close it before its time', async () => {
    const remark = call('system', 'remark', '0x07')
    await asMember(0, call('council', 'propose', 2, remark, 1_000))
    expect(await open()).toMatchObject([{ does: 'calls system.remark("0x07")' }])
    const number = await motion()
    await expect(by(0, 'close', number)).rejects.toThrow(/The ledger refused: council\.TooEarly/)
    await by(1, 'vote', number, '--against')
    await by(2, 'vote', number, '--against')
  })

  it('goes on with the other motions when one cannot be read', async () => {
    const { address } = await newAccount('unread')
    await by(0, 'propose', 'fund', address, '--amount', '3')
    const [unread] = await open()
    if (!unread) throw new Error('there is no motion')
    // A runtime that has no such call any more reads nothing of it.
    const kept = writer.api.query.council?.proposalOf?.key(unread.hash) ?? ''
    await writer.submitAsRoot(call('system', 'setStorage', [[kept, '0xfeff']]))
    expect(await open()).toMatchObject([{ does: `does something unknown (call ${unread.hash})` }])
    expect(await council('status', '--url', ledger.url)).toMatch(/its call cannot be read .*; vote --against it/)
    await expect(by(1, 'vote', String(unread.number))).rejects.toThrow(/its call cannot be read/)

    await by(0, 'propose', 'fund', address, '--amount', '4')
    expect(await by(1, 'vote', String(unread.number + 1))).toMatch(/it is done/)
    await by(1, 'vote', String(unread.number), '--against')
    expect(await by(2, 'vote', String(unread.number), '--against')).toMatch(/voted down/)
    expect(await open()).toEqual([])
  })

  it('takes away a motion whose time is over', async () => {
    const { address } = await newAccount('late')
    await by(0, 'propose', 'fund', address, '--amount', '5')
    const [late] = await open()
    if (!late) throw new Error('there is no motion')
    await expect(by(1, 'close', String(late.number))).rejects.toThrow(/council\.TooEarly/)
    const votes = await writer.api.query.council?.voting?.(late.hash)
    const over = Buffer.alloc(4)
    over.writeUInt32LE(await height())
    const bytes = Buffer.concat([Buffer.from((votes?.toU8a() ?? new Uint8Array()).slice(1, -4)), over])
    const kept = writer.api.query.council?.voting?.key(late.hash) ?? ''
    await writer.submitAsRoot(call('system', 'setStorage', [[kept, `0x${bytes.toString('hex')}`]]))
    expect(await by(1, 'close', String(late.number))).toMatch(/0 blocks are left\n.*voted down/s)
    expect(await open()).toEqual([])
    expect((await writer.api.query.system?.account?.(address))?.toJSON()).toMatchObject({ data: { free: 0 } })
  })

  it('runs a newer runtime when it is brought, whose hash it voted for', async () => {
    await by(0, 'propose', 'upgrade', NEXT_RUNTIME)
    const number = await motion()
    const present = join(root, 'chain/artifact/accredit_runtime.compact.compressed.wasm')
    await expect(by(1, 'vote', number, '--file', present)).rejects.toThrow(
      /allows the runtime .*, and not that of the file/,
    )
    await expect(by(1, 'bring', NEXT_RUNTIME)).rejects.toThrow(/has not voted for a runtime that is still to come/)
    expect((await status()).runtimeToBring).toBeNull()
    expect(await by(1, 'vote', number, '--file', NEXT_RUNTIME)).toMatch(/The council agreed\. .* bring FILE/)
    // A member that was away sees it too: no motion is left that would say so.
    const { hash } = await runtimeOfFile(NEXT_RUNTIME)
    expect(await council('status', '--url', ledger.url)).toMatch(
      new RegExp(`Allowed: the runtime of the hash ${hash}\\. .*bring FILE --key FILE`),
    )
    await expect(by(1, 'bring', present)).rejects.toThrow(/^The council voted for the runtime 0x.*, and this one is 0x/)
    expect(await by(1, 'bring', NEXT_RUNTIME)).toMatch(/^The network has runtime 1000000 now/)
    expect(await by(1, 'bring', NEXT_RUNTIME)).toMatch(/^The network has runtime 1000000 now/)
    expect(await council('status', '--url', ledger.url)).not.toContain('Allowed:')
    await expect(by(0, 'propose', 'upgrade', NEXT_RUNTIME)).rejects.toThrow(/version 1000000 is no later one/)
  })
})
