import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import pino from 'pino'
import { FIRST, SECOND, sampleNetwork } from '../../../../chain/client/src/proof/testing/sample-bundle.js'
import { justify, type TestNetwork } from '../../../../chain/client/src/proof/testing/test-network.js'
import { openLedger } from '../../../../signer/src/actions/ledger.js'
import { openProofs } from '../../../../signer/src/actions/proofs.js'
import { addProofRoutes } from '../../../../signer/src/server/proof.routes.js'
import { openServer } from '../../../../signer/src/server/server.js'
import { serveNode } from '../../../../signer/test/proof-node.js'
import { buildApp } from '../../app.js'
import type { Config } from '../../config.js'
import { indexedDatabase, type TestIndex, testIndex } from '../../ledger/testing/test-index.js'
import { openSigner } from '../../ledger/write/signer-door.js'
import type { Served } from '../../platform/http/operation.js'
import { folderOfTests } from '../../platform/testing/after-all.js'
import { testEnvironment } from '../../platform/testing/scratch-database.js'
import { audit } from '../operations.js'

export const network = sampleNetwork()
export const genesis = network.genesis.hash
/** The block with a state; the next one is the newest that validators made final. */
export const ASKED = 4
const CLOCK = { now: () => new Date('2026-03-01T00:00:20Z') }

export interface RecordedWorld {
  app: FastifyInstance
  ledger: TestIndex
  /** Ends the signer: nothing is proved any more. */
  endProving(): Promise<void>
  close(): Promise<void>
}

/** The api and the signer's proofs over a node that serves a recorded chain of headers, states and votes. */
export async function recordedWorld({
  chain = network,
  isJustified = true,
  final = 5,
  served = [audit],
  config = {},
}: {
  /** Of the sample's headers and validators, with any states. */
  chain?: TestNetwork
  isJustified?: boolean
  final?: number
  served?: readonly Served[]
  config?: Partial<Config>
} = {}): Promise<RecordedWorld> {
  const scratch = await indexedDatabase()
  const ledger = await testIndex(scratch, CLOCK)
  await ledger.blocks(chain.blocks.length - 1, { start: new Date('2026-03-01T00:00:00Z'), stepMs: 3_000 })
  for (const { number, hash } of chain.blocks) await ledger.replaceBlock(number, hash)
  await ledger.finality({ height: final, hash: chain.block(final).hash, rule: 'grandpa' })
  const [change, last] = [chain.block(2), chain.block(5)]
  const votes = new Map([
    [change.hash, justify(change, FIRST)],
    ...(isJustified ? [[last.hash, justify(last, SECOND.slice(0, 3), { setId: 1 })] as const] : []),
  ])
  const node = await serveNode(chain, votes, last)
  const log = pino({ level: 'silent' })
  const reached = await openLedger([node.url], log)
  const door = openServer({}, log)
  addProofRoutes(door, { proofs: openProofs(() => reached) })
  const socket = join(mkdtempSync(join(folderOfTests(), 'proofs-')), 'signer.sock')
  await door.listen({ path: socket })
  const signer = openSigner({ signer: { socket, url: undefined, token: undefined, tls: undefined } })
  const environment = testEnvironment(scratch, { index: ledger.index, clock: CLOCK, signer })
  const app = await buildApp({ ...environment, config: { ...environment.config, ...config } }, served)
  return {
    app,
    ledger,
    endProving: () => door.close(),
    async close() {
      await app.close()
      await signer.close()
      await door.close()
      await reached.close()
      await node.close()
      await ledger.close()
      await scratch.close()
    },
  }
}
