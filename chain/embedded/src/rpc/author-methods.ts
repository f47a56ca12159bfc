import { TypeRegistry } from '@polkadot/types'
import type { Submission } from '../blocks/submission.js'
import { requireValid } from '../blocks/validity.js'
import { bytesOf, hexOf } from '../store/store.js'
import { endSubscription } from './chain-methods.js'
import { invalidParams } from './errors.js'
import { extrinsicParam, type Params, textParam } from './params.js'
import type { LedgerContext, Method, RpcSession } from './session.js'

/** Tools that read a block when they hear of it forget it when the next status arrives meanwhile. */
const FINAL_TOLD_AFTER_MS = 100

const types = new TypeRegistry()

/** Checks extrinsics of strangers before they are kept, as a node's pool does. */
async function submit({ chain, producer }: LedgerContext, params: Params, session: RpcSession): Promise<Submission> {
  const { maxExtrinsicBytes } = await chain.runtimeAt(chain.head.number)
  const read = () => extrinsicParam(params, 0, maxExtrinsicBytes)
  const { stranger } = session
  if (!stranger) return producer.submit(read())
  const extrinsic = await stranger.inSubmissionTurn(async () => {
    const brought = read()
    await requireValid(chain, brought)
    return brought
  })
  return producer.submit(extrinsic, stranger.network)
}

/** Answers when the extrinsic is in a durable block, or is kept for later; else with the runtime's reason. */
const submitExtrinsic: Method = async (ledger, params, session) => {
  const submission = await submit(ledger, params, session)
  await submission.accepted
  return submission.hash
}

const submitAndWatchExtrinsic: Method = async (ledger, params, session) => {
  const submission = await submit(ledger, params, session)
  await submission.accepted
  return session.subscribe('author_extrinsicUpdate', (send, finish) => {
    send(submission.waits ? 'future' : 'ready')
    let timer: NodeJS.Timeout | undefined
    submission.included.then(
      ({ blockHash }) => {
        send({ inBlock: blockHash })
        timer = setTimeout(() => {
          send({ finalized: blockHash })
          finish()
        }, FINAL_TOLD_AFTER_MS)
      },
      () => {
        send('invalid')
        finish()
      },
    )
    return () => clearTimeout(timer)
  })
}

const accountNextIndex: Method = async ({ chain, producer }, params) => {
  const account = accountOf(textParam(params, 0))
  const answer = await chain.answer('AccountNonceApi_account_nonce', account, chain.head.number)
  const sender = hexOf(types.createType('MultiAddress', { Id: account }).toU8a())
  const pending = producer.pending().filter((submission) => submission.sender === sender).length
  return types.createType('u32', bytesOf(answer)).toNumber() + pending
}

function accountOf(address: string) {
  try {
    return hexOf(types.createType('AccountId', address).toU8a())
  } catch {
    throw invalidParams('the account is not an SS58 address')
  }
}

export const authorMethods: Readonly<Record<string, Method>> = {
  author_submitExtrinsic: submitExtrinsic,
  author_submitAndWatchExtrinsic: submitAndWatchExtrinsic,
  author_unwatchExtrinsic: endSubscription,
  author_pendingExtrinsics: async ({ producer }) => producer.pending().map((submission) => submission.extrinsic),
  system_accountNextIndex: accountNextIndex,
  account_nextIndex: accountNextIndex,
}
