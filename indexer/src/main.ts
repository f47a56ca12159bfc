import { Client } from 'pg'
import { configOf } from './config'
import { FinalityFollower } from './finality'
import { IndexDatabase } from './index-database'
import { log, takeOverLibraryLogs } from './log'
import { migrate, PROJECT_DIR } from './migrate'
import { Node } from './node'
import { ledgerProcessor } from './processor'

async function main(): Promise<void> {
  takeOverLibraryLogs()
  const config = configOf(process.env)
  if (config.isSupervised) process.stdin.resume().on('end', () => process.exit(0))
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => process.exit(0))
  // The libraries take the connection from here and nowhere else.
  process.env.DB_URL = config.databaseUrl

  await migrate(config)
  const client = new Client({ connectionString: config.databaseUrl })
  await client.connect()
  client.on('error', stop)
  const database = new IndexDatabase({
    projectDir: PROJECT_DIR,
    schema: config.schema,
    alongside: async (store, head) => {
      if (config.finality === 'instant') await follower.indexed(store, head)
    },
  })
  const follower = new FinalityFollower(new Node(config.ledgerUrl), client, () => database.height)

  await follower.recall()
  ledgerProcessor(config).run(database, async ({ blocks }) => database.read(blocks))
  await follower.follow((height) => process.stdout.write(`${JSON.stringify({ ready: 'indexer', height })}\n`))
}

/** Every failure ends the process: the supervisor starts it again, and it goes on from the last committed block. */
function stop(cause: unknown): never {
  log.fatal({ err: cause }, 'The indexer cannot go on')
  process.exit(1)
}

process.on('uncaughtException', stop)
main().catch(stop)
