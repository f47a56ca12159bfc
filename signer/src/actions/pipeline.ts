/**
 * Turns stored actions into effects: a batcher signs and sends, and a follower reads final blocks. Both keep everything
 * in the tables, so that it does not matter when the process dies.
 */
import { hexOf } from '@accredit/chain'
import { type Loop, startLoop } from '@accredit/process/loop'
import type { FastifyBaseLogger } from 'fastify'
import type { Clock } from '../clock.js'
import { type Db, type FencedWrite, LostLease } from '../database.js'
import { SetupError, SignerError } from '../errors.js'
import type { Keys } from '../keys/keys.js'
import { fillGap, makeBatch } from './batcher.js'
import { type Codec, openCodec } from './codec.js'
import type { FeeAccount } from './fee-account.js'
import { type FeeBalance, openFeeBalance } from './fee-balance.js'
import { type BlockWork, noteIncluded, openCursor, readBlock, workIn } from './follower.js'
import type { BlockRef, Ledger } from './ledger.js'
import { openPipelineStore, type PendingExtrinsic, type PipelineStore } from './pipeline.store.js'
import { openSubmitter, type Submitter } from './submitter.js'
import { openTurns } from './turns.js'
import { openValidity, type Validity } from './validity.js'

export interface PipelineNeeds {
  db: Db
  write: FencedWrite
  clock: Clock
  log: FastifyBaseLogger
  ledger: Ledger
  keys: Keys
  feeAccount: FeeAccount
  feeAccountMinimum: bigint
  finality: 'instant' | 'grandpa'
  /** Called when the process cannot go on: another signer took over, or the ledger is not the one it was. */
  onFatal(error: Error): void
}

/**
 * The number of blocks that an extrinsic lives; past them it is dead for certain, and its actions may be signed afresh.
 */
const extrinsicLifetime = 64
/** The time after which it looks for what an error left behind; while nothing may be queued it does not. */
const lookMs = 2_000

export class Pipeline {
  readonly #needs: PipelineNeeds
  readonly #store: PipelineStore
  readonly #work: BlockWork
  readonly #submitter: Submitter
  readonly #batching: Loop
  readonly #following: Loop
  readonly #noting: Loop
  #codec: Codec
  #cursor: BlockRef
  readonly #feeBalance: FeeBalance
  readonly #turns = openTurns()
  /** The fee account's next nonce as of the cursor. */
  #accountNonce: number
  /** The height of the newest final block that the node told. */
  #finalHeight: number
  /** True where the runtime changed, and extrinsics made for the one before may still be pending. */
  #isUpgraded = false
  #isStopped = false
  /** False from when none was queued until some arrive, or are queued again: then nobody looks for any. */
  #mayBeQueued = true
  /** True from when an extrinsic died, or may have, until no nonce is missing before those that are pending. */
  #mayLackNonce = true

  /** Checks that the ledger is the one this database knows, applies the blocks since then, and starts. */
  static async start(needs: PipelineNeeds): Promise<Pipeline> {
    const codec = await loadCodec(needs)
    const cursor = await openCursor(needs, needs.ledger)
    const pipeline = new Pipeline(needs, codec, cursor, await readAccount(needs, codec, cursor.hash))
    await pipeline.#catchUp()
    await pipeline.#listen()
    return pipeline
  }

  private constructor(needs: PipelineNeeds, codec: Codec, cursor: BlockRef, account: { nonce: number; free: bigint }) {
    const onError = (error: unknown) => this.#onError(error)
    this.#needs = needs
    this.#codec = codec
    this.#cursor = cursor
    this.#accountNonce = account.nonce
    this.#feeBalance = openFeeBalance(
      { minimum: needs.feeAccountMinimum, address: needs.feeAccount.address, log: needs.log },
      account.free,
    )
    this.#finalHeight = cursor.height
    this.#store = openPipelineStore(needs.db, needs.write, needs.clock)
    const validity = openValidity(needs.clock, needs.log)
    this.#work = { ...needs, validity, submitter: hexOf(needs.feeAccount.publicKey) }
    this.#batching = startLoop(() => this.#batch(), { onError, everyMs: lookMs })
    this.#following = startLoop(() => this.#followOne(), { onError })
    this.#noting = startLoop(() => this.#noteBest(), { onError })
    this.#submitter = openSubmitter({
      ledger: needs.ledger,
      store: this.#store,
      log: needs.log,
      onError,
      onPoor: () => this.#refused(),
      onTaken: () => this.#feeBalance.accepted(),
      onAnswered: () => this.#batching.wake(),
      onStale: () => this.#replaced(),
      onDropped: (extrinsic, reason) => this.#drop(extrinsic, reason),
    })
  }

  get ledger(): Ledger {
    return this.#needs.ledger
  }

  get codec(): Codec {
    return this.#codec
  }

  get validity(): Validity {
    return this.#work.validity
  }

  get isPoor(): boolean {
    return this.#feeBalance.isPoor
  }

  /** Called when actions have arrived. */
  wake(): void {
    this.#mayBeQueued = true
    this.#batching.wake()
  }

  /** The balance as of the final head. */
  async balance(): Promise<bigint> {
    const { hash } = await this.#needs.ledger.finalHead()
    return (await readAccount(this.#needs, this.#codec, hash)).free
  }

  waitingActions(): Promise<number> {
    return this.#store.waiting()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#submitter.stop()
    await Promise.all([this.#batching.stop(), this.#following.stop(), this.#noting.stop()])
  }

  async #catchUp(): Promise<void> {
    this.#finalHeight = (await this.#needs.ledger.finalHead()).height
    while (await this.#followOne());
    await this.#expirePassed()
  }

  async #listen(): Promise<void> {
    const { ledger, finality } = this.#needs
    await ledger.follow('final', (height) => {
      this.#finalHeight = height
      this.#following.wake()
    })
    if (finality === 'grandpa') await ledger.follow('best', () => this.#noting.wake())
    await ledger.followRuntime((specVersion) => {
      if (specVersion !== this.#codec.specVersion) this.#upgrade().catch((error) => this.#onError(error))
    })
    ledger.onConnected(() => this.#resume())
    this.#resume()
  }

  /**
   * Sends all pending extrinsics after every connection, since sent ones may be lost. The events since then come with
   * the next head.
   */
  #resume(): void {
    this.#batching.wake()
    this.#submitter.resend().catch((error) => this.#onError(error))
  }

  async #batch(): Promise<boolean> {
    const { ledger } = this.#needs
    if (!this.#mayBeQueued || !ledger.isConnected || !this.#feeBalance.mayPay) return false
    // Extrinsics that are on their way already show whether it can pay again.
    if (this.#feeBalance.isPoor && (await this.#store.pending()).length > 0) return false
    this.#mayBeQueued = false
    const needs = {
      ...this.#needs,
      store: this.#store,
      validity: this.#work.validity,
      codec: this.#codec,
      cursor: this.#cursor,
      accountNonce: this.#accountNonce,
      turns: this.#turns,
      send: (extrinsic: PendingExtrinsic) => this.#submitter.send(extrinsic),
    }
    const { isMade, isQueued } = await makeBatch(needs)
    if (isQueued) this.#mayBeQueued = true
    if (!isMade && this.#mayLackNonce) {
      // Another extrinsic may die meanwhile, which says so again.
      this.#mayLackNonce = false
      if (await fillGap(needs)) this.#mayLackNonce = true
    }
    if (this.#mayLackNonce) this.#mayBeQueued = true
    return isMade || this.#mayLackNonce
  }

  /** Applies the next final block, if there is one. */
  async #followOne(): Promise<boolean> {
    const { ledger } = this.#needs
    const height = this.#cursor.height + 1
    const hash = height > this.#finalHeight ? undefined : await ledger.hashAt(height)
    if (hash === undefined) return false
    const block = await readBlock(ledger, this.#codec, { height, hash })
    const { hasMoved, isQueuedAgain } = await workIn(this.#work, this.#codec, block)
    this.#cursor = { height, hash }
    if (this.#isUpgraded) await this.#expirePastVersions()
    if (hasMoved) this.#accountNonce = (await readAccount(this.#needs, this.#codec, hash)).nonce
    if (hasMoved || this.#feeBalance.isPoor) await this.#readFeeBalance()
    if (isQueuedAgain) this.#freed()
    this.#batching.wake()
    return true
  }

  async #noteBest(): Promise<boolean> {
    const { ledger } = this.#needs
    const best = await ledger.bestHead()
    if (best.height > this.#cursor.height) {
      await noteIncluded(this.#work, this.#codec, await readBlock(ledger, this.#codec, best))
    }
    return false
  }

  /** The block used up all nonces below the account's: an extrinsic that still waits with one is dead. */
  async #expirePassed(): Promise<void> {
    const { nonce } = await readAccount(this.#needs, this.#codec, this.#cursor.hash)
    this.#accountNonce = Math.max(nonce, this.#accountNonce)
    await this.#store.expireBelow({ nonce })
    this.#freed()
    this.#following.wake()
  }

  /**
   * The nonce was used by a block that is not applied yet, or by another program: then its actions are free at once.
   */
  async #replaced(): Promise<void> {
    await this.#expirePassed()
    this.wake()
  }

  async #upgrade(): Promise<void> {
    this.#codec = await loadCodec(this.#needs)
    this.#needs.log.info({ specVersion: this.#codec.specVersion }, 'The runtime of the ledger is another one.')
    this.#isUpgraded = true
  }

  async #expirePastVersions(): Promise<void> {
    const { specVersion } = await this.#needs.ledger.runtimeVersion(this.#cursor.hash)
    if (specVersion !== this.#codec.specVersion) return
    await this.#store.expireBelow({ specVersion })
    this.#freed()
    this.#isUpgraded = false
  }

  /** The pool answered that it can never be included in this form. */
  async #drop(extrinsic: PendingExtrinsic, reason: 'too-heavy' | 'bad-proof'): Promise<void> {
    if (reason === 'too-heavy') await this.#store.dropTooHeavy(extrinsic.id)
    else if (extrinsic.specVersion !== this.#codec.specVersion) await this.#store.drop(extrinsic.id)
    else await this.#upgrade()
    this.#freed()
    this.#batching.wake()
  }

  /** Extrinsics died, or may have: their actions are queued again, and later extrinsics may wait for their nonces. */
  #freed(): void {
    this.#mayBeQueued = true
    this.#mayLackNonce = true
  }

  /** The balance is that of the best block, by which the ledger judges new extrinsics. */
  async #readFeeBalance(): Promise<void> {
    this.#feeBalance.holds((await readAccount(this.#needs, this.#codec)).free)
    if (this.#feeBalance.isPoor && this.#feeBalance.mayPay) await this.#submitter.resend()
  }

  async #refused(): Promise<void> {
    this.#feeBalance.holds((await readAccount(this.#needs, this.#codec)).free)
    this.#feeBalance.refused()
  }

  #onError(error: unknown): void {
    // Another signer may have its place by now, as what was under way at its end finds.
    if (error instanceof LostLease && this.#isStopped) return
    // A batch that was not made is still to be made, and a write whose answer was lost may have queued actions again.
    this.#freed()
    if (error instanceof SetupError) this.#needs.onFatal(error)
    else if (error instanceof SignerError) this.#needs.log.debug({ err: error }, error.message)
    else this.#needs.log.error({ err: error }, 'The pipeline stumbled and tries again.')
  }
}

async function loadCodec({ ledger, feeAccount }: PipelineNeeds): Promise<Codec> {
  const genesisHash = await ledger.genesisHash()
  const [metadata, version] = await Promise.all([ledger.metadata(), ledger.runtimeVersion()])
  return openCodec({ metadata, version, genesisHash, feeAccount, lifetime: extrinsicLifetime })
}

async function readAccount({ ledger }: PipelineNeeds, codec: Codec, at?: string) {
  const [value] = await ledger.read([codec.keys.feeAccount], at)
  return codec.account(value)
}
