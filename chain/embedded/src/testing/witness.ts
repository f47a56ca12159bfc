import { TypeRegistry } from '@polkadot/types'
import type { Header } from '@polkadot/types/interfaces'
import { headerHash } from '../runtime/header.js'
import { type Hex, hexOf, isHex } from '../store/store.js'
import { socketTo } from './ledger-process.js'

const types = new TypeRegistry()

type Socket = Awaited<ReturnType<typeof socketTo>>

/** Collects the messages of ledgers to their listeners, each under the name of its ledger. */
export class Testimony {
  readonly blocks: { readonly by: string; readonly number: number; readonly hash: Hex }[] = []
  readonly inclusions: { readonly by: string; readonly extrinsic: Hex; readonly hash: Hex }[] = []
}

/** Listens to one ledger until it is gone, and brings it extrinsics. */
export class Witness {
  readonly #socket: Socket
  readonly #by: string
  readonly #testimony: Testimony
  readonly #gone: Promise<void>
  #heads = 0
  #told = () => {}

  private constructor(socket: Socket, by: string, testimony: Testimony) {
    this.#socket = socket
    this.#by = by
    this.#testimony = testimony
    this.#gone = new Promise((resolve) => socket.on('disconnected', () => resolve()))
  }

  static async of(url: string, by: string, testimony: Testimony): Promise<Witness> {
    const witness = new Witness(await socketTo(url), by, testimony)
    await witness.#socket.subscribe('chain_newHead', 'chain_subscribeNewHeads', [], (_error, head: unknown) =>
      witness.#hear(head),
    )
    return witness
  }

  /**
   * Submits the extrinsics that the ledger has not taken yet, at most `count`, each after the block of the one before.
   */
  async submit(account: string, extrinsics: readonly Hex[], count: number): Promise<void> {
    const next: number = await this.#socket.send('system_accountNextIndex', [account])
    for (const extrinsic of extrinsics.slice(next, next + count)) await this.#submit(extrinsic)
  }

  /** Resolves a while after so many blocks. */
  async moment(blocks: number, milliseconds: number): Promise<void> {
    while (this.#heads <= blocks) {
      await new Promise<void>((resolve) => {
        this.#told = resolve
      })
    }
    await new Promise((resolve) => setTimeout(resolve, milliseconds))
  }

  /** Resolves when all messages have arrived that a ledger sent before it was gone. */
  async end(): Promise<void> {
    await this.#gone
  }

  async #submit(extrinsic: Hex): Promise<void> {
    const note = (status: unknown) => {
      if (typeof status !== 'object' || status === null || !('inBlock' in status) || !isHex(status.inBlock)) return
      this.#testimony.inclusions.push({ by: this.#by, extrinsic, hash: status.inBlock })
    }
    await this.#socket.subscribe(
      'author_extrinsicUpdate',
      'author_submitAndWatchExtrinsic',
      [extrinsic],
      (_error, status: unknown) => note(status),
    )
  }

  #hear(head: unknown): void {
    const header: Header = types.createType('Header', head)
    const hash = headerHash(hexOf(header.toU8a()))
    this.#testimony.blocks.push({ by: this.#by, number: header.number.toNumber(), hash })
    this.#heads += 1
    this.#told()
  }
}
