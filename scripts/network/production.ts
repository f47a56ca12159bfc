// Makes the network of docker-compose.yml, whose fee account is that of the file FEE_ACCOUNT_FILE:
//   node scripts/dist/network/production.js make --host NAME [--host NAME …] --state FOLDER
import { readFile } from 'node:fs/promises'
import { endWith } from '../start/command.js'
import { readSecrets, required } from '../start/production-settings.js'
import { codeOf, Refusal } from '../start/refusal.js'
import { madeText, makeForHosts } from './make-for-hosts.js'
import { parseNetworkOptions } from './options.js'

await endWith(async () => {
  const options = parseNetworkOptions(process.argv.slice(2), process.cwd(), process.env)
  if (options.command !== 'make') throw new Refusal(`The nodes run in containers: ${options.command} is not done here.`)
  const file = required(readSecrets(process.env), 'FEE_ACCOUNT_FILE')
  const account = await readFile(file, 'utf8').catch((error) => {
    throw new Refusal(`The file of FEE_ACCOUNT_FILE cannot be read: ${codeOf(error)}.`)
  })
  const feeAccounts = [...options.feeAccounts, account.trim()]
  console.log(madeText(await makeForHosts({ ...options, feeAccounts }), options.stateDir))
  return 0
})
