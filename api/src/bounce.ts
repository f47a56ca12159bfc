import { text } from 'node:stream/consumers'
import { secretsFrom } from '@accredit/process/secret-files'
import { readConfig } from './config.js'
import { noteBounce } from './credentials/delivery/note-bounce.js'
import { openDatabase } from './platform/database/open-database.js'
import { servicePool } from './platform/database/pool.js'
import { runProcess } from './platform/process/process.js'
import { keyDerivation, readServiceKey } from './platform/security/service-key.js'
import { ConfigError } from './settings.js'

const USAGE = `npm run bounce < MAIL        notes in the job of a credential's mail that the mail came back
MAIL is what arrives at MAIL_FROM: pipe each mail to this command. What is no bounce of a mail that was sent here changes
nothing, and is said to be none.
Where it runs here: --env sandbox|production, --state FOLDER. In the production shape:
docker compose exec -T api node api/dist/bounce.js < MAIL`

/** The words of a mail server, and the names of the mail, stand before the mail that it returns. */
const READ_BYTES = 256 * 1024

async function main(): Promise<void> {
  const [option] = process.argv.slice(2)
  if (option === '--help' || option === '-h') return void process.stdout.write(`${USAGE}\n`)
  if (option !== undefined) throw new ConfigError(`There is no option ${option}.\n${USAGE}`)
  const config = readConfig(secretsFrom(process.env))
  if (config.serviceKeyFile === undefined) throw new ConfigError('SERVICE_KEY_FILE is missing.')
  const deriveKey = keyDerivation(readServiceKey(config.serviceKeyFile))
  const report = (await text(process.stdin)).slice(0, READ_BYTES)
  const pool = servicePool({ url: config.database.systemUrl, max: 1, applicationName: 'accredit-bounce' })
  const db = openDatabase(pool, pool)
  try {
    const job = await db.transaction('system', (tx) => noteBounce(tx, { deriveKey }, report))
    process.stdout.write(
      job === undefined
        ? 'This is no bounce of a mail that was sent here: nothing is changed.\n'
        : `The mail of job ${job} came back: the job is an error now.\n`,
    )
  } finally {
    await db.close()
  }
}

await runProcess('bounce', main)
