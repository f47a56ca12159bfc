import type { AccountPair } from '@accredit/embedded-ledger/network'
import type { ApiPromise } from '@polkadot/api'
import Type, { type Static } from 'typebox'
import { Check } from 'typebox/schema'
import { messageOf, Refusal } from '../start/refusal.js'
import { type Ask, callOf, send } from './ledger-client.js'

const HexText = Type.String({ pattern: '^0x([0-9a-f]{2})+$' })
const SessionKeys = Type.Object({ keys: HexText, proof: HexText })

/** The public session keys of a node, and its proof for one account that it has their secrets. */
export type SessionKeys = Static<typeof SessionKeys>

/** Lets a node make session keys, whose secrets stay in its keystore. One that answers safe methods alone refuses. */
export async function madeByNode(ask: Ask, { publicKey }: AccountPair): Promise<SessionKeys> {
  const owner = `0x${Buffer.from(publicKey).toString('hex')}`
  const made = await ask('author_rotateKeysWithOwner', owner).catch((error) => {
    throw new Refusal(
      `The node makes no keys: ${messageOf(error)}. Its operator starts it with --rpc-methods unsafe for as long as this takes, or asks it on its own host (author_rotateKeysWithOwner ${owner}) and brings the answer: --keys and --proof.`,
    )
  })
  if (!Check(SessionKeys, made)) throw new Refusal('The node does not answer as one that makes session keys.')
  return made
}

/** Names the session keys of a validator's node: sent by its account, before the council votes for that. */
export async function nameSessionKeys(api: ApiPromise, own: AccountPair, { keys, proof }: SessionKeys): Promise<void> {
  await send(api, own, callOf(api, 'governance', 'setKeys', keys, proof))
}
