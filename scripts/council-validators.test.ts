import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type AccountFile, call, EmbeddedCouncil } from '../test/support/embedded-council.js'
import { sessionKeysFor } from '../test/support/made-session-keys.js'

/** The decisions of a council about validators, with the keys that their nodes need, on a real ledger. */
const council = await EmbeddedCouncil.open(['one', 'two', 'three'])
afterAll(() => council.close())
beforeEach(() => {
  council.told.splice(0)
})

const by = (member: number, ...argv: string[]) => council.by(member, ...argv)
const listed = async () => (await council.status()).validators.listed
const setValidators = (...accounts: AccountFile[]) =>
  call(
    'governance',
    'setValidators',
    accounts.map(({ address }) => address),
  )

/** Makes an account with money that has named session keys, and returns their files. */
async function newValidator(name: string) {
  const account = await council.newFundedAccount(name)
  const { files } = await council.nameKeys(account)
  return { ...account, files }
}

/** The words for the keys of an account that is added. */
const keysOf = ({ address, files }: AccountFile & { files: readonly string[] }) =>
  `with the keys that have to be in the keystore of ${address}: ${files.join(' ')}`
const hasNamedNone = ({ address }: AccountFile) =>
  `without keys of ${address}, which has named none, so that the ledger will refuse (governance.NoKeys)`

/** The words for a motion that adds an account with the keys of these files. */
const addsWith = (account: AccountFile, files: readonly string[]) =>
  `adds ${account.address} to the list of validators, ${keysOf({ ...account, files })}`

describe('a council of three', () => {
  it('takes a validator that has named its session keys, and does not let the last one go', async () => {
    const validator = await council.newFundedAccount('validator')
    await expect(by(0, 'propose', 'add-validator', validator.address)).rejects.toThrow(/has not named the session keys/)
    const signer = ['--key', validator.file]
    await expect(council.run('session-keys', ...signer)).rejects.toThrow(
      /The node makes no keys: .*--rpc-methods unsafe/,
    )
    const { keys, proof, files } = await sessionKeysFor(validator.file)
    const foreign = await sessionKeysFor(council.members[0]?.file ?? '')
    await expect(
      council.run('session-keys', ...signer, '--keys', foreign.keys, '--proof', foreign.proof),
    ).rejects.toThrow(/The ledger refused: session\.InvalidProof/)
    expect(await council.run('session-keys', ...signer, '--keys', keys, '--proof', proof)).toContain(
      `propose add-validator ${validator.address}`,
    )
    await council.withinSession(async () => {
      expect(await by(0, 'propose', 'add-validator', validator.address)).toContain(`${addsWith(validator, files)}\n`)
      expect(council.told).toEqual([])
      const motion = await council.motion()
      expect(await by(2, 'vote', motion)).toMatch(
        new RegExp(
          `adds ${validator.address} to the list of validators.*agreed\\. It takes effect after two sessions`,
          's',
        ),
      )
      expect(council.told).toEqual([`This carries out motion ${motion}, which ${addsWith(validator, files)}.`])
      expect(await listed()).toEqual([validator.address])
      expect(await council.run('status')).toContain(`${validator.address}  (from the session`)
      // The same keys once more, as after a command that broke off: nobody votes on a validator that is on the list.
      const again = await council.run('session-keys', ...signer, '--keys', keys, '--proof', proof)
      expect(again).toMatch(/has named its session keys\. They take effect after two sessions/)
      await expect(by(0, 'propose', 'remove-validator', validator.address)).rejects.toThrow(/would stand still/)
    })
  })

  it('tells which keys a validator that comes back needs, which its operator may have deleted', async () => {
    const [validator, other] = [await newValidator('staying'), await newValidator('coming and going')]
    await council.withinSession(async () => {
      await council.writer.submitAsRoot(setValidators(validator, other))
      await council.writer.submitAsRoot(setValidators(validator))
      expect(await by(0, 'propose', 'add-validator', other.address)).toContain(`${addsWith(other, other.files)}\n`)
      const { files } = await council.nameKeys(other)
      const text = await council.run('status')
      expect(text).toContain(`${addsWith(other, files)}\n`)
      expect(text).not.toContain(other.files[0])
      for (const member of [1, 2]) await by(member, 'vote', await council.motion(), '--against')
    })
  })

  it('tells the keys of each of several that another tool proposes, and that one has named none', async () => {
    const [one, other] = [await newValidator('first of three'), await newValidator('second of three')]
    const keyless = await council.newAccount('third of three')
    await council.asMember(0, call('council', 'propose', 2, setValidators(one, other, keyless), 1_000))
    const [{ does } = { does: '' }] = await council.openMotions()
    const told = new Map([
      [one.address, keysOf(one)],
      [other.address, keysOf(other)],
      [keyless.address, hasNamedNone(keyless)],
    ])
    const accounts = /^adds (.*) to the list/.exec(does)?.[1]?.split(', ') ?? []
    expect(accounts.toSorted()).toEqual([...told.keys()].toSorted())
    const keys = accounts.map((account) => told.get(account))
    expect(does).toBe([`adds ${accounts.join(', ')} to the list of validators`, ...keys].join(', '))
    for (const member of [1, 2]) await by(member, 'vote', await council.motion(), '--against')
  })

  it('tells of an account that has named no keys that the ledger will refuse, which it does', async () => {
    const keyless = await council.newAccount('keyless')
    await council.asMember(0, call('council', 'propose', 2, setValidators(keyless), 1_000))
    const motion = await council.motion()
    const does = `adds ${keyless.address} to the list of validators, ${hasNamedNone(keyless)}`
    expect(await council.run('status')).toContain(`${does}\n`)
    await by(1, 'vote', motion)
    await expect(by(2, 'vote', motion)).rejects.toThrow(/and the ledger refused: governance\.NoKeys/)
    expect(council.told).toEqual([`This carries out motion ${motion}, which ${does}.`])
  })

  it('tells what a motion does that a member closes, for which others voted', async () => {
    const added = await newValidator('closed')
    await by(0, 'propose', 'add-validator', added.address)
    const motion = await council.motion()
    const [{ hash } = { hash: '' }] = await council.openMotions()
    // Another tool votes and leaves the close to others.
    await council.asMember(2, call('council', 'vote', hash, Number(motion), true))
    await council.withinSession(async () => {
      await by(1, 'close', motion)
      expect(council.told).toEqual([`This carries out motion ${motion}, which ${addsWith(added, added.files)}.`])
      expect(await listed()).toEqual([added.address])
    })
  })

  it('tells what a vote carries out that decides together with one that was not final yet', async () => {
    const added = await newValidator('decided by two at once')
    await council.asMember(0, call('council', 'propose', 2, setValidators(added), 1_000))
    const motion = await council.motion()
    const [{ hash } = { hash: '' }] = await council.openMotions()
    const proposed = await council.head()
    await council.asMember(1, call('council', 'vote', hash, Number(motion), true))
    await council.withinSession(async () => {
      expect(await council.behind(proposed, 2, 'vote', motion)).toMatch(/The council agreed/)
      expect(council.told).toEqual([`This carries out motion ${motion}, which ${addsWith(added, added.files)}.`])
      expect(await listed()).toEqual([added.address])
    })
  })

  it('agrees to no motion about validators that does something else than when it was proposed', async () => {
    const [fifth, sixth] = [await newValidator('fifth'), await newValidator('sixth')]
    for (const { address } of [fifth, sixth]) await by(0, 'propose', 'add-validator', address)
    const motions = await council.openMotions()
    const [first = '', second = ''] = motions.map(({ number }) => String(number))
    await council.asMember(2, call('council', 'vote', motions[1]?.hash, motions[1]?.number, true))
    await council.withinSession(async () => {
      await by(1, 'vote', first)
      expect(await listed()).toEqual([fifth.address])
      await expect(by(1, 'vote', second)).rejects.toThrow(
        /adds .* to and takes .* off the list of validators, with the keys .*: it changes 2 validators instead of one/,
      )
      expect(await council.run('status')).toMatch(/no command agrees to it or closes it: it changes 2 validators/)
      await expect(by(1, 'close', second)).rejects.toThrow(/the list was another one when it was proposed/)
      expect(await by(1, 'vote', second, '--against')).toMatch(/is not closed: as many/)
      expect(await by(2, 'vote', second, '--against')).toMatch(/voted down/)
    })
  })
})

describe('a council of one', () => {
  beforeAll(() => council.seat(council.members.slice(0, 1)))

  /** Proposes a validator as a council of three that has one member afterwards, and returns the words before its end. */
  async function proposedByThree(added: AccountFile & { files: readonly string[] }): Promise<string> {
    await council.seat(council.members)
    await by(0, 'propose', 'add-validator', added.address)
    const motion = await council.motion()
    await council.seat(council.members.slice(0, 1))
    return `Without carrying it out, this ends motion ${motion}, which ${addsWith(added, added.files)}.`
  }

  it('adds no validator before somebody has said that its node has its keys', async () => {
    const added = await newValidator('alone')
    const [author = '', voter = ''] = added.files
    const propose = (...argv: string[]) => by(0, 'propose', 'add-validator', added.address, ...argv)
    await council.withinSession(async () => {
      for (const said of [[], ['--keystore-has', author], ['--keystore-has', author, '--keystore-has', author]])
        await expect(propose(...said)).rejects.toThrow(
          `This ${addsWith(added, added.files)}. A validator whose node lacks its keys never votes: its operator looks for these files. When they are there: --keystore-has ${author} --keystore-has ${voter}`,
        )
      expect(await listed()).toEqual([])
      expect(await propose('--keystore-has', voter, '--keystore-has', author)).toBe(
        'The council agreed. It takes effect after two sessions, a minute at most: status tells.',
      )
      expect(council.told).toEqual([`A council of one member decides at once. This ${addsWith(added, added.files)}.`])
      expect(await listed()).toEqual([added.address])
    })
  })

  it('adds no validator while its keys, or the list, have changed in a block that is not final yet', async () => {
    const [added, other] = [await council.newFundedAccount('not final'), await newValidator('listed, not final')]
    const propose = (final: string, files: readonly string[]) => {
      const said = files.flatMap((file) => ['--keystore-has', file])
      return council.behind(final, 0, 'propose', 'add-validator', added.address, ...said)
    }
    const refusal = /have changed in a block that is not final yet: ask again in a moment/
    const unnamed = await council.head()
    const old = await council.nameKeys(added)
    await expect(propose(unnamed, [])).rejects.toThrow(refusal)
    const named = await council.head()
    const { files } = await council.nameKeys(added)
    await expect(propose(named, old.files)).rejects.toThrow(refusal)
    await council.withinSession(async () => {
      const unlisted = await council.head()
      await council.writer.submitAsRoot(setValidators(other))
      await expect(propose(unlisted, files)).rejects.toThrow(refusal)
      expect(council.told).toEqual([])
      expect(await listed()).toEqual([other.address])
    })
  })

  it('votes down a motion to which more have to agree than it has members', async () => {
    const added = await newValidator('of a larger council')
    const ends = await proposedByThree(added)
    expect(await by(0, 'vote', await council.motion())).toMatch(/voted down/)
    expect(council.told).toEqual([ends])
    expect(await listed()).toEqual([])
  })

  it('proposes anew what it proposed when it had more members', async () => {
    const added = await newValidator('proposed again')
    const ends = await proposedByThree(added)
    const propose = (...argv: string[]) => by(0, 'propose', 'add-validator', added.address, ...argv)
    await expect(propose()).rejects.toThrow(/its operator looks for these files/)
    await council.withinSession(async () => {
      const said = added.files.flatMap((file) => ['--keystore-has', file])
      expect(await propose(...said)).toMatch(/^The council agreed/)
      const decides = `A council of one member decides at once. This ${addsWith(added, added.files)}.`
      expect(council.told).toEqual([ends, decides])
      expect(await listed()).toEqual([added.address])
    })
    expect(await council.openMotions()).toEqual([])
  })

  it('decides all else at once', async () => {
    const { address } = await council.newAccount('paid')
    expect(await by(0, 'propose', 'fund', address, '--amount', '9')).toBe('The council agreed, and it is done.')
    expect(council.told).toEqual([`A council of one member decides at once. This pays ${address} 9 from the treasury.`])
  })
})
