/** The signer as a whole: opens every part in the order in which they need each other, and closes them in reverse. */
import { chmodSync, rmSync } from 'node:fs'
import { serveMetrics } from '@accredit/process/metrics-server'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { openActionInbox } from './actions/actions.store.js'
import { openChainStatus } from './actions/chain-status.js'
import { openDryRuns } from './actions/dry-run.js'
import { openFeeAccount } from './actions/fee-account.js'
import { cursorHeight, knownGenesis } from './actions/follower.js'
import { takeLease } from './actions/lease.js'
import { openLedger } from './actions/ledger.js'
import { Pipeline } from './actions/pipeline.js'
import { openProofs } from './actions/proofs.js'
import { openAudit } from './audit.js'
import { openGuard } from './capabilities.js'
import { openClock } from './clock.js'
import type { Config, Door } from './config.js'
import { fencedBy, openDatabase } from './database.js'
import { SetupError, SignerError } from './errors.js'
import { openBlsPairs } from './keys/bls-pairs.js'
import { openCurves } from './keys/curves.js'
import { openVault } from './keys/data-keys.js'
import { openKeys } from './keys/keys.js'
import { openMasterKeyFile } from './keys/master-key.js'
import { openMessageSigning } from './keys/message-signing.js'
import { openThrowawayKeys } from './keys/throwaway-keys.js'
import { grantToChain, migrate } from './migrations.js'
import { systemRandomness } from './randomness.js'
import { buildServer } from './server/server.js'

export interface Signer {
  /** The socket's path, or the address on TCP. */
  address: string
  feeAccount: string
  close(): Promise<void>
}

const sweepEveryMs = 3_600_000
/** The time in which a network of validators makes many blocks final. */
const STALL_MS = 30_000

/** Resolves when the signer follows the ledger and takes requests; keys and signatures are served a little earlier. */
export async function openSigner(
  config: Config,
  log: FastifyBaseLogger,
  onFatal: (error: Error) => void,
): Promise<Signer> {
  const clock = openClock(config.clockOffsetFile)
  const random = systemRandomness
  const { db, unsynced, pool, name, close: closeDatabase } = openDatabase(config.databaseUrl, random)
  const closing: (() => unknown)[] = [closeDatabase]
  const close = async () => {
    for (const end of closing.splice(0).reverse()) await end()
  }
  try {
    await migrate(db)
    await grantToChain(db, config.chainReader)
    const onLost = () =>
      onFatal(new SetupError('The lock on the database is lost, to another signer or with the server.'))
    const lease = await takeLease({ db, pool, name, holdMs: config.holdMs, log, onLost })
    closing.push(() => lease.release())
    const vault = await openVault(db, openMasterKeyFile(config.masterKeyFile, random, config.masterKeyToken), random)
    const feeAccount = await openFeeAccount(db, vault)
    const bls = openBlsPairs()
    closing.push(() => bls.close())
    const curves = openCurves(bls, random)
    const keys = openKeys({ db, unsynced, vault, curves, random, clock, log })
    closing.push(startSweeping(() => keys.sweep(), log))
    const messageSigning = openMessageSigning()
    closing.push(() => messageSigning.close())
    const throwaway = openThrowawayKeys({ curves, random })

    let pipeline: Pipeline | undefined
    const status = openChainStatus()
    const server = buildServer(
      {
        keys,
        messageSigning,
        inbox: openActionInbox(db, clock),
        throwaway,
        dryRuns: openDryRuns({ db, keys, throwaway, ledger: () => status.reached() }),
        proofs: openProofs(() => status.reached().ledger),
        guard: openGuard(config.granted, config.perMinute, clock),
        audit: openAudit(db, clock),
        wake: () => pipeline?.wake(),
        chainStatus: () => status.read(),
        feeAccount: async () => {
          if (pipeline === undefined) throw new SignerError(503, 'ledger_unavailable', 'The ledger is not reached yet.')
          const minimum = config.feeAccountMinimum.toString()
          const balance = (await pipeline.balance()).toString()
          return { address: feeAccount.address, balance, minimum, isPoor: pipeline.isPoor }
        },
        health: () => ({
          status: status.isOnline ? (pipeline?.isPoor === true ? 'poor' : 'ok') : 'ledger_unavailable',
        }),
      },
      'socket' in config.door ? {} : config.door,
      log,
    )
    if (config.metrics !== undefined) {
      const { openMetrics, observeRequests } = await import('./metrics.js')
      const registry = openMetrics({ db, status })
      observeRequests(server, registry)
      const served = await serveMetrics(registry, config.metrics.host, config.metrics.port)
      closing.push(() => served.close())
    }
    const address = await listen(server, config.door)
    closing.push(() => server.close())

    const ledger = await openLedger(config.ledgerUrls, log, {
      genesisHash: await knownGenesis(db),
      newestRead: () => cursorHeight(db),
      stallMs: config.finality === 'grandpa' ? STALL_MS : undefined,
    })
    closing.push(() => ledger.close())
    const write = fencedBy(db, lease.epoch)
    const running = await Pipeline.start({ ...config, db, write, clock, log, ledger, keys, feeAccount, onFatal })
    // The steps at hand end when the connection they wait for does.
    closing.push(() => Promise.all([ledger.close(), running.stop()]))
    pipeline = running
    status.use(running)
    return { address, feeAccount: feeAccount.address, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function listen(server: FastifyInstance, door: Door): Promise<string> {
  if (!('socket' in door)) return server.listen({ host: door.host, port: door.port })
  // The lease is ours, so a socket that is still there belongs to a signer that was killed.
  rmSync(door.socket, { force: true })
  await server.listen({ path: door.socket })
  chmodSync(door.socket, 0o600)
  return door.socket
}

function startSweeping(sweep: () => Promise<number>, log: FastifyBaseLogger): () => void {
  const run = () => {
    sweep().catch((error: unknown) => log.error({ err: error }, 'Sweeping unused keys failed.'))
  }
  run()
  const timer = setInterval(run, sweepEveryMs)
  timer.unref()
  return () => clearInterval(timer)
}
