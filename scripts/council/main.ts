import type { AccountPair } from '@accredit/embedded-ledger/network'
import type { ApiPromise } from '@polkadot/api'
import { endWith } from '../start/command.js'
import { asksForHelp } from '../start/options.js'
import { messageOf, Refusal } from '../start/refusal.js'
import { accountOfFile, makeKey } from './key-file.js'
import { type Ask, type Call, storedAccounts, withLedger } from './ledger-client.js'
import { type CouncilCommand, type Proposal, parseCouncilOptions, usage } from './options.js'
import {
  memberAdded,
  memberRemoved,
  payment,
  runtimeAllowed,
  runtimeOfFile,
  validatorAdded,
  validatorRemoved,
} from './proposals.js'
import { madeByNode, nameSessionKeys } from './session-keys.js'
import { councilStatus, motionText, statusText } from './status.js'
import { bringRuntime } from './upgrade.js'
import { closeMotion, giveSeat, type Outcome, proposeAndVote, type Tell, voteOn } from './vote.js'

/** Runs one command of the council. */
export async function council(argv: string[]): Promise<void> {
  if (asksForHelp(argv)) return console.log(usage)
  await endWith(async () => {
    console.log(await run(parseCouncilOptions(argv, process.env), (line) => console.log(line)))
    return 0
  })
}

/**
 * Does what a command says, and returns what is told of it.
 *
 * @param tell tells what the command decides, before it does
 */
export async function run(command: CouncilCommand, tell: Tell): Promise<string> {
  switch (command.name) {
    case 'account': {
      const { account, isNew } = await makeKey(command.key)
      return `${account.address}\n${command.key} holds its seed${isNew ? '' : ' already, and was left as it is'}.`
    }
    case 'status':
      return withLedger(command.url, async (api) => {
        const now = Date.now()
        const status = await councilStatus(api, now)
        return command.json ? JSON.stringify(status, null, 2) : statusText(status, now)
      })
    case 'propose':
      return bySigner(command, async (api, member) =>
        told(api, await proposeAndVote(api, member, await callOf(api, command), command.keystoreHas, tell)),
      )
    case 'vote': {
      const runtime = command.file === undefined ? undefined : (await runtimeOfFile(command.file)).hash
      const { motion, isFor } = command
      return bySigner(command, async (api, member) =>
        told(api, await voteOn(api, member, motion, { isFor, runtime }, tell)),
      )
    }
    case 'close':
      return bySigner(command, async (api, member) => told(api, await closeMotion(api, member, command.motion, tell)))
    case 'bring': {
      const runtime = await runtimeOfFile(command.file)
      return bySigner(command, async (api, sender) => {
        await bringRuntime(api, sender, runtime)
        return `The network has runtime ${runtime.version} now. No host does anything for it: each node runs what the chain holds.`
      })
    }
    case 'give-seat':
      return bySigner(command, async (api, member) => {
        const account = await giveSeat(api, member, command.account)
        return `${account} is a member of the council in the place of ${member.address}.`
      })
    case 'session-keys':
      return bySigner(command, async (api, own, ask) => {
        const made = command.made ?? (await madeByNode(ask, own))
        await nameSessionKeys(api, own, made).catch((error) => {
          // The node would make others, and each pair is named once a day at most.
          throw new Refusal(`${messageOf(error)} To name the same keys: --keys ${made.keys} --proof ${made.proof}.`)
        })
        const isListed = (await storedAccounts(api, 'governance', 'validators')).includes(own.address)
        const next = isListed
          ? 'They take effect after two sessions. Its node needs the old ones in its keystore until then: its operator deletes them once status says that older ones may be deleted.'
          : `The council may vote for it: propose add-validator ${own.address}.`
        return `${own.address} has named its session keys. ${next}`
      })
  }
}

/** Does something with the account whose key a command names. */
async function bySigner(
  { url, key }: { url: string; key: string },
  work: (api: ApiPromise, signer: AccountPair, ask: Ask) => Promise<string>,
): Promise<string> {
  const signer = await accountOfFile(key)
  return withLedger(url, (api, ask) => work(api, signer, ask))
}

type Proposed = Extract<CouncilCommand, { name: 'propose' }>

const CALLS: Record<Proposal, (api: ApiPromise, command: Proposed) => Promise<Call>> = {
  'add-validator': (api, { subject }) => validatorAdded(api, subject),
  'remove-validator': (api, { subject }) => validatorRemoved(api, subject),
  fund: (api, { subject, amount }) => payment(api, subject, amount),
  upgrade: async (api, { subject }) => runtimeAllowed(api, await runtimeOfFile(subject)),
  'add-member': (api, { subject }) => memberAdded(api, subject),
  'remove-member': (api, { subject }) => memberRemoved(api, subject),
}

const callOf = (api: ApiPromise, command: Proposed): Promise<Call> => CALLS[command.proposal](api, command)

const ENDS: Record<Outcome['is'], string> = {
  open: 'More votes are needed.',
  made: 'The council agreed, and it is done.',
  'voted down': 'The motion was voted down.',
  'closed by another member': 'Another member closed the motion: status and the history tell what came of it.',
}

const HELD = 'It has enough votes, and is not closed: as many as can vote it down are needed against it.'
const CARRIED = 'It has enough votes: close carries it out.'

async function told(api: ApiPromise, { is, motion, alone }: Outcome): Promise<string> {
  const block = (await api.rpc.chain.getHeader()).number.toNumber()
  const afterwards = (motion ?? alone)?.afterwards
  const end = is === 'made' && afterwards ? `The council agreed. ${afterwards}` : ENDS[is]
  // A motion that has its votes stays open where it is in doubt, which its text tells, or after a vote against it.
  const isHeld = is === 'open' && motion !== undefined && motion.ayes.length >= motion.needed
  const held = motion?.doubt === undefined ? CARRIED : HELD
  return [...(motion ? [motionText(motion, block)] : []), isHeld ? held : end].join('\n')
}
