import {
  bytesOf,
  type ChainKey,
  type Did,
  didKeyOf,
  parseDid,
  verificationMethodId,
  verificationMethodOf,
} from '@accredit/chain'
import { anyOwnDid } from '../dids/did.store.js'
import { type Finding, failed, passed, pending } from '../formats/check.js'
import type { NeededKey, ProofPurpose } from '../formats/credential-format.js'
import { type KeyHistory, keyHistory } from '../ledger/read/did-state.js'
import type { Environment } from '../platform/http/context.js'
import { blsDidKey } from './bls-did-key.js'
import { type ForeignKeyDoor, foreignKey } from './foreign-key.js'
import type { KeyFinding, KeyQuestion } from './key-question.js'
import { macKeyAt } from './mac-key-at.js'

const RELATIONSHIP: Record<ProofPurpose, number> = { authentication: 1, assertionMethod: 2 }

type Door = Pick<Environment, 'index' | 'db'> & ForeignKeyDoor

/** The key that a proof names, and whether what it signed can be trusted at a point in time. */
export async function keyAt(door: Door, question: KeyQuestion): Promise<KeyFinding> {
  const [text = '', fragment, ...rest] = question.id.split('#')
  if (fragment === undefined || rest.length > 0)
    return { finding: failed('malformed', 'verificationMethod must be <did>#<key>') }
  const bls = blsDidKey(text)
  if (bls !== undefined) return keyOfBlsDidKey(bls, fragment, question)
  const did = parseDid(text)
  if (did === undefined) return foreignKey(door, text, fragment, question)
  if (question.kind === 'BBDT16') return macKeyAt(door, did, fragment, question)
  const inside = didKeyOf(did)
  if (inside) return keyOfDidKey(did, inside, question)
  const number = /^keys?-([1-9]\d{0,8})$/.exec(fragment)?.[1]
  if (number === undefined) return { finding: failed('key_not_found', `${did} has no key ${fragment}`) }
  return keyOnLedger(door, did, Number(number), question)
}

/** A key of other issuers, in a DID that the ledger does not know. */
function keyOfBlsDidKey(publicKey: Uint8Array, fragment: string, { id, kind }: KeyQuestion): KeyFinding {
  if (id !== `did:key:${fragment}#${fragment}`)
    return { finding: failed('key_not_found', 'the fragment is not that of the key inside the DID') }
  if (kind !== 'Bls12381G2') return { finding: failed('key_type_not_supported', 'the key is of kind Bls12381G2') }
  return { publicKey, finding: passed() }
}

function keyOfDidKey(did: Did, key: ChainKey, { id, kind }: KeyQuestion): KeyFinding {
  if (id !== verificationMethodId(did, 0))
    return { finding: failed('key_not_found', 'the fragment is not that of the key inside the DID') }
  // The key of a did:key never changes, never ends and serves every purpose.
  return shown({ did, id, kind }, key, true, passed())
}

/** A key as a proof names it, and the kind that it has to be of. */
interface Named extends Pick<NeededKey, 'id' | 'kind'> {
  did: Did
}

function shown({ did, id, kind }: Named, key: ChainKey, mayDoThis: boolean, finding: Finding): KeyFinding {
  if (key.kind !== kind) return { finding: failed('key_type_not_supported', `the key is of kind ${key.kind}`) }
  const { publicKeyBase58: _, ...method } = verificationMethodOf(did, id, key)
  const isWrongUse = finding.passed === true && !mayDoThis
  return {
    finding: isWrongUse ? failed('wrong_relationship', 'the key is not meant for this') : finding,
    publicKey: bytesOf(key.publicKey),
    method,
  }
}

async function keyOnLedger(
  door: Pick<Door, 'index' | 'db'>,
  did: Did,
  keyId: number,
  question: KeyQuestion,
): Promise<KeyFinding> {
  const { at, purpose, id, kind } = question
  const found = await keyHistory(door.index, did, keyId, at)
  const isMissing = found === undefined || found.fromBlock > at.block
  if (isMissing && at.requested === undefined && (await isAhead(door, did)))
    return { finding: pending(`the key ${keyId} of ${did} is not on the ledger yet`) }
  if (found === undefined) return { finding: failed('key_not_found', `the ledger knows no key ${keyId} of ${did}`) }
  const finding = { ...trust(found, question), block: at.block }
  return shown({ did, id, kind }, found.key, (found.relationships & RELATIONSHIP[purpose]) !== 0, finding)
}

/** Tells whether our own store has changes of a DID that the index lacks. */
async function isAhead({ db }: Pick<Door, 'db'>, did: Did): Promise<boolean> {
  const stored = await db.read('system', (reader) => anyOwnDid(reader, did))
  return stored !== undefined && (stored.status === 'pending' || stored.openJobs.length > 0)
}

/**
 * Judges a signature by the life of its key: a compromised key is never trusted; one that was retired, also by the end
 * of its DID, is good for signatures made before.
 */
function trust(key: KeyHistory, { created, at }: Pick<KeyQuestion, 'created' | 'at'>): Finding {
  if (key.endReason === 'revoked')
    return failed('key_revoked', 'the key was revoked: nothing that it signed is trusted')
  if (key.fromBlock > at.block)
    return failed('key_not_yet', `the key stands on the ledger since block ${key.fromBlock}`)
  if (key.end === null || key.end.block > at.block) return passed()
  if (created !== undefined && created < key.end.time) return passed({ reason: `key_${key.endReason ?? 'retired'}` })
  return failed('key_retired', `the key is out of use since block ${key.end.block}, and the proof is not older`)
}
