import { switchLevelOnSignal } from '@accredit/process/log'
import { secretsFrom } from '@accredit/process/secret-files'
import { Client } from 'pg'
import { asRead, ledgerProcessor } from './blocks/processor'
import { configOf } from './config'
import { FinalityFollower } from './finality'
import { IndexDatabase } from './index-database'
import { log, takeOverLibraryLogs } from './log'
import { openMetrics } from './metrics'
import { migrate, PROJECT_DIR } from './migrate'
import { Node } from './node'
import { NodeWatch } from './node-watch'
import { Nodes } from './nodes'
import { openTraces } from './traces'
import { writeRowsAsLists } from './write-rows'

async function main(): Promise<void> {
  takeOverLibraryLogs()
  const config = configOf(secretsFrom(process.env))
  switchLevelOnSignal(log)
  const traces = await openTraces(config)
  const end = () => void traces.stop().finally(() => process.exit(0))
  if (config.isSupervised) process.stdin.resume().on('end', end)
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, end)
  // The libraries take the connection from here and nowhere else.
  process.env.DB_URL = config.databaseUrl

  await migrate(config)
  writeRowsAsLists()
  const client = new Client({ connectionString: config.databaseUrl })
  await client.connect()
  client.on('error', stop)
  const metrics = await openMetrics(config, client)
  const database = new IndexDatabase({
    projectDir: PROJECT_DIR,
    schema: config.schema,
    alongside: async (store, head) => {
      if (config.finality === 'instant') await follower.indexed(store, head)
    },
    written(batch) {
      traces.indexed(batch)
      metrics.written(batch)
    },
  })
  const nodes = new Nodes(config.ledgerUrls, await knownGenesis(client), () => newestHeight(client))
  const { url } = await nodes.whenThere()
  const watch = new NodeWatch(url, nodes, (reason) => stop(new Error(reason)))
  const follower = new FinalityFollower(new Node(url), client, () => database.height, config.finality, watch)

  await follower.recall()
  ledgerProcessor(url, config).run(database, async ({ blocks }) => database.read(asRead(blocks)))
  await follower.follow((height) => process.stdout.write(`${JSON.stringify({ ready: 'indexer', height })}\n`))
}

/** The hash of the first block; undefined while nothing is indexed. */
async function knownGenesis(client: Client): Promise<string | undefined> {
  const { rows } = await client.query<{ hash: string }>('SELECT hash FROM block WHERE height = 0')
  return rows[0]?.hash
}

/** The height of the newest block that is indexed, whose state the next one stands on; 0: none is. */
async function newestHeight(client: Client): Promise<number> {
  const { rows } = await client.query<{ height: number }>('SELECT coalesce(max(height), 0) AS height FROM block')
  return rows[0]?.height ?? 0
}

/** Every failure ends the process: the supervisor starts it again, and it goes on from the last committed block. */
function stop(cause: unknown): never {
  log.fatal({ err: cause }, 'The indexer cannot go on')
  process.exit(1)
}

process.on('uncaughtException', stop)
main().catch(stop)
