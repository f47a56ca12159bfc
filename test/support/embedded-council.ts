import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chainTypes, type EncodedCall } from '@accredit/chain'
import { type OpenLedger, openLedger, randomKeys } from '@accredit/embedded-ledger'
import { treasury } from '@accredit/embedded-ledger/network'
import { run } from '../../scripts/council/main.js'
import { parseCouncilOptions } from '../../scripts/council/options.js'
import { type CouncilStatus, councilStatus } from '../../scripts/council/status.js'
import { LedgerWriter } from '../testing/random-ledger/ledger-writer.js'
import { serveLagging } from './lagging-node.js'
import { type MadeSessionKeys, sessionKeysFor } from './made-session-keys.js'
import { type ScratchDatabase, scratchDatabase } from './scratch-database.js'

export interface AccountFile {
  file: string
  address: string
}

/** A session may end in each block whose number this divides. */
const SESSION_BLOCKS = 10

export const call = (pallet: string, name: string, ...args: unknown[]): EncodedCall =>
  chainTypes().call(pallet, name, ...args)

/** A real ledger, to whose council root has given its seats, and a treasury with money; with the key of each member. */
export class EmbeddedCouncil {
  /** The lines that commands told before they decided. */
  readonly told: string[] = []

  private constructor(
    private readonly folder: string,
    private readonly database: ScratchDatabase,
    private readonly ledger: OpenLedger,
    readonly writer: LedgerWriter,
    readonly members: readonly AccountFile[],
  ) {}

  static async open(names: readonly string[]): Promise<EmbeddedCouncil> {
    const folder = await mkdtemp(join(tmpdir(), 'accredit-council-'))
    const members = await Promise.all(names.map((name) => newAccountIn(folder, name)))
    const database = await scratchDatabase()
    const keys = randomKeys()
    const feeAccounts = [...members.map(({ address }) => address), await treasury()]
    const ledger = await openLedger({ databaseUrl: database.url, keys, feeAccounts })
    const writer = await LedgerWriter.connect(ledger.url, keys.sudo)
    const council = new EmbeddedCouncil(folder, database, ledger, writer, members)
    await council.seat(members)
    return council
  }

  async close(): Promise<void> {
    await this.writer.close()
    await this.ledger.close()
    await this.database.drop()
    await rm(this.folder, { recursive: true })
  }

  get url(): string {
    return this.ledger.url
  }

  /** Gives the seats of the council to these, and to nobody else. */
  async seat(members: readonly AccountFile[]): Promise<void> {
    await this.writer.submitAsRoot(
      call('councilMembers', 'resetMembers', members.map(({ address }) => address).toSorted()),
    )
  }

  /** Makes an account's key, and returns its file and its address. */
  newAccount(name: string): Promise<AccountFile> {
    return newAccountIn(this.folder, name)
  }

  /** Makes an account that has money. */
  async newFundedAccount(name: string): Promise<AccountFile> {
    const account = await this.newAccount(name)
    await this.writer.submitAsRoot(call('balances', 'forceSetBalance', { Id: account.address }, 10n ** 18n))
    return account
  }

  /** Runs a command as the command line has it. */
  run(...argv: string[]): Promise<string> {
    return this.runAt(this.url, argv)
  }

  /** Runs a command as a member. */
  by(member: number, ...argv: string[]): Promise<string> {
    return this.run(...argv, '--key', this.members[member]?.file ?? '')
  }

  /** Runs a command as a member at a node for which these blocks are the newest final ones in turn, when it is asked. */
  async behind(finals: string | readonly string[], member: number, ...argv: string[]): Promise<string> {
    const node = await serveLagging(this.url, [finals].flat())
    try {
      return await this.runAt(node.url, [...argv, '--key', this.members[member]?.file ?? ''])
    } finally {
      await node.close()
    }
  }

  private runAt(url: string, argv: readonly string[]): Promise<string> {
    return run(parseCouncilOptions([...argv, '--url', url], {}), (line) => this.told.push(line))
  }

  /** Makes a call as a member, without a command of ours. */
  async asMember(member: number, made: EncodedCall): Promise<void> {
    const seed = (await readFile(this.members[member]?.file ?? '', 'utf8')).trim()
    const other = await LedgerWriter.connect(this.url, `0x${seed.slice(2)}`)
    await other.submit([made])
    await other.close()
  }

  /** Names new session keys of an account, and returns them. */
  async nameKeys({ file }: AccountFile): Promise<MadeSessionKeys> {
    const made = await sessionKeysFor(file)
    await this.run('session-keys', '--key', file, '--keys', made.keys, '--proof', made.proof)
    return made
  }

  status(): Promise<CouncilStatus> {
    return councilStatus(this.writer.api, Date.now())
  }

  async openMotions(): Promise<CouncilStatus['motions']> {
    return (await this.status()).motions
  }

  /** Returns the number of the only motion that is open. */
  async motion(): Promise<string> {
    const [only, ...more] = await this.openMotions()
    if (only === undefined || more.length > 0) throw new Error(`${more.length + Number(only !== undefined)} are open`)
    return String(only.number)
  }

  /** Returns the hash of the newest block. */
  async head(): Promise<string> {
    return (await this.writer.api.rpc.chain.getBlockHash()).toHex()
  }

  async height(): Promise<number> {
    return (await this.writer.api.rpc.chain.getHeader()).number.toNumber()
  }

  /**
   * Lets a list of validators stand within one session. No embedded ledger has a list but for these tests, and a block
   * in which a session ends has no room for a call.
   */
  async withinSession(work: () => Promise<void>): Promise<void> {
    while ((await this.height()) % SESSION_BLOCKS !== 0) await this.writer.submitAsRoot(call('system', 'remark', '0x'))
    const session = (await this.height()) / SESSION_BLOCKS
    await work()
    const list = this.writer.api.query.governance?.validators?.key() ?? ''
    await this.writer.submitAsRoot(call('system', 'killStorage', [list]))
    if (Math.floor((await this.height()) / SESSION_BLOCKS) !== session) throw new Error('the session has ended')
  }
}

async function newAccountIn(folder: string, name: string): Promise<AccountFile> {
  const file = join(folder, `${name}.key`)
  const [address = ''] = (await run(parseCouncilOptions(['account', '--key', file], {}), () => {})).split('\n')
  return { file, address }
}
