import { runMigrations } from 'bullmq'
import pg from 'pg'
import { QUEUE_SCHEMA } from './queue.js'

/** Makes the queue's tables as the migration role, and lets the system role use them. */
export async function prepareQueue({
  migrationUrl,
  systemUrl,
}: {
  migrationUrl: string
  systemUrl: string
}): Promise<void> {
  const client = new pg.Client({ connectionString: migrationUrl, application_name: 'accredit-migrate' })
  await client.connect()
  try {
    await runMigrations(client, QUEUE_SCHEMA)
    const role = decodeURIComponent(new URL(systemUrl).username)
    if (!role) return
    const name = client.escapeIdentifier(role)
    // BullMQ makes a sequence for each queue when it is first used.
    await client.query(`grant usage, create on schema ${QUEUE_SCHEMA} to ${name};
      grant select, insert, update, delete on all tables in schema ${QUEUE_SCHEMA} to ${name};
      grant usage, select, update on all sequences in schema ${QUEUE_SCHEMA} to ${name};
      grant execute on all functions in schema ${QUEUE_SCHEMA} to ${name}`)
  } finally {
    await client.end()
  }
}
