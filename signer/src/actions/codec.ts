/**
 * The ledger's bytes for one version of its runtime: what DIDs sign, extrinsics, storage entries, events. All of it
 * comes from the runtime's metadata.
 */
import {
  type ChainEvent,
  callHash,
  chainDid,
  chainTypes,
  creationBytes,
  type Did,
  type DryRunOutcome,
  decodeEvents,
  didCreate,
  dispatchAs,
  dispatchBytes,
  dryRun,
  forceBatch,
  type Hex,
  type Hex32,
  hexOf,
  isHex,
  nameCalls,
  parseDid,
  parseHex32,
  type ViewCall,
} from '@accredit/chain'
import type { AccountInfo, ExtrinsicSignatureV4 } from '@polkadot/types/interfaces'
import { compactAddLength, hexToU8a, u8aConcat } from '@polkadot/util'
import { blake2AsU8a } from '@polkadot/util-crypto'
import { SignerError } from '../errors.js'
import type { SignBytes } from '../keys/keys.js'
import { type AuthorisedAction, bytesOf, type CreateAction, type DispatchAction } from '../wire.js'
import type { FeeAccount } from './fee-account.js'
import type { BlockRef, RuntimeVersion } from './ledger.js'
import { JUDGED_EVENTS } from './outcomes.js'

export interface Authorisation {
  nonce: number
  validUntil: number
  sign: SignBytes
}

export interface SignedExtrinsic {
  bytes: Buffer
  hash: Buffer
  /** The first block that can no longer hold it. */
  diesAt: number
}

export interface DryRunPlace {
  parent: string
  now: number
  asIfSigned: boolean
}

export interface Codec extends RuntimeVersion {
  /** The call `did.create` with the first key's signature. */
  creation(action: CreateAction, sign: SignBytes): Buffer
  /** The call `did.dispatch_as` with the acting key's signature. */
  dispatch(action: DispatchAction, authorisation: Authorisation): Buffer
  /** The same call with the signature that the DID's owner gave. */
  authorised(action: AuthorisedAction): Buffer
  /** Returns the bytes that the owner signs. */
  payload(action: Omit<AuthorisedAction, 'signature'>): Buffer
  /**
   * Builds the request for a dry run of calls after a block, or for their effect if their authorisations were signed.
   */
  dryRun(place: DryRunPlace, calls: Uint8Array[]): ViewCall<readonly DryRunOutcome[]>
  callHash(calls: Uint8Array[]): Buffer
  /** One mortal extrinsic around all the items. */
  batch(items: Uint8Array[], nonce: number, birth: BlockRef): SignedExtrinsic
  /** The items inside such an extrinsic. */
  batchItems(extrinsic: Uint8Array): Buffer[]
  /** Tells whether a DID may make these calls. Throws where they are no calls of the runtime. */
  mayDispatch(calls: Uint8Array[]): boolean
  /** Returns the events of a block that tell what became of actions. */
  events(value: string): readonly ChainEvent[]
  u32(value: string | undefined): number
  moment(value: string | undefined): number
  account(value: string | undefined): { nonce: number; free: bigint }
  keys: { events: string; now: string; feeAccount: string; nonce(did: string): string }
}

export interface CodecNeeds {
  metadata: string
  version: RuntimeVersion
  genesisHash: string
  feeAccount: FeeAccount
  /** Blocks that an extrinsic lives; a power of two. */
  lifetime: number
}

const didPallets = new Set(['did', 'trustRegistry', 'revocation'])
/** These calls need an account, not a DID, as their origin. */
const accountCalls = new Set(['create', 'dispatchAs'])

export function openCodec({ metadata, version, genesisHash, feeAccount, lifetime }: CodecNeeds): Codec {
  const types = chainTypes(hex(metadata))
  const { registry } = types
  const place = { genesisHash: hex32(genesisHash), submitter: feeAccount.address }

  return {
    specVersion: version.specVersion,
    transactionVersion: version.transactionVersion,
    creation(action, sign) {
      const creation = {
        salt: hex32(action.salt),
        keys: action.keys.map(({ kind, publicKey, relationships }) => ({
          key: { kind, publicKey: hex(publicKey) },
          relationships,
        })),
        controllers: action.controllers.map(did),
        services: action.services,
      }
      const signature = hexOf(sign(creationBytes({ ...creation, ...place }, types)))
      return Buffer.from(didCreate({ ...creation, signature }, types))
    },
    dispatch(action, { nonce, validUntil, sign }) {
      const calls = action.calls.map(bytesOf)
      const dispatch = { did: did(action.did), keyId: action.keyId, nonce, validUntil, calls }
      const { transactionVersion } = version
      const signature = hexOf(sign(dispatchBytes({ ...dispatch, ...place, transactionVersion }, types)))
      return Buffer.from(dispatchAs({ ...dispatch, signature }, types))
    },
    authorised(action) {
      const signature = hex(action.signature)
      return Buffer.from(dispatchAs({ ...authorisation(action), signature }, types))
    },
    payload(action) {
      const { transactionVersion } = version
      return Buffer.from(dispatchBytes({ ...authorisation(action), ...place, transactionVersion }, types))
    },
    dryRun: ({ parent, ...place }, calls) =>
      dryRun({ ...place, parent: hex32(parent), submitter: feeAccount.address, calls }, types),
    callHash: (calls) => bytesOf(callHash(calls)),
    batch(items, nonce, birth) {
      const call = forceBatch(items, types)
      const era = registry.createType('ExtrinsicEra', { current: birth.height, period: lifetime })
      const payload = registry.createType(
        'ExtrinsicPayload',
        {
          method: hexOf(call),
          era,
          nonce,
          tip: 0,
          blockHash: birth.hash,
          genesisHash,
          specVersion: version.specVersion,
          transactionVersion: version.transactionVersion,
        },
        { version: extrinsicVersion },
      )
      const signed = payload.toU8a({ method: true })
      const signature = feeAccount.sign(signed.length > 256 ? blake2AsU8a(signed, 256) : signed)
      const head: ExtrinsicSignatureV4 = registry.createType('ExtrinsicSignatureV4')
      head.addSignature(feeAccount.address, hexOf(Buffer.concat([ed25519Tag, signature])), payload.toHex())
      const bytes = Buffer.from(compactAddLength(u8aConcat(signedExtrinsicTag, head.toU8a(), call)))
      return { bytes, hash: Buffer.from(blake2AsU8a(bytes, 256)), diesAt: era.asMortalEra.death(birth.height) }
    },
    batchItems(extrinsic) {
      const { method } = registry.createType('Extrinsic', extrinsic)
      const [items] = method.args
      if (method.section !== 'utility' || !Array.isArray(items)) return []
      return items.map((item) => Buffer.from(item.toU8a()))
    },
    mayDispatch: (calls) =>
      nameCalls(calls, types).every(
        ({ pallet, call }) => didPallets.has(pallet) && !(pallet === 'did' && accountCalls.has(call)),
      ),
    events: (value) => decodeEvents(hex(value), types, JUDGED_EVENTS),
    // A number made from text would be read big-endian: storage values are SCALE bytes.
    u32: (value) => registry.createType('u32', hexToU8a(value)).toNumber(),
    moment: (value) => registry.createType('u64', hexToU8a(value)).toNumber(),
    account(value) {
      const { nonce, data }: AccountInfo = registry.createType('AccountInfo', value)
      return { nonce: nonce.toNumber(), free: data.free.toBigInt() }
    },
    keys: {
      events: types.storageKey('system', 'events'),
      now: types.storageKey('timestamp', 'now'),
      feeAccount: types.storageKey('system', 'account', feeAccount.address),
      nonce: (text) => types.storageKey('did', 'nonces', chainDid(did(text))),
    },
  }
}

const extrinsicVersion = 4
/** Version 4, signed. */
const signedExtrinsicTag = new Uint8Array([0x80 | extrinsicVersion])
/** The variant of MultiSignature. */
const ed25519Tag = new Uint8Array([0])

function authorisation(action: Omit<AuthorisedAction, 'signature'>) {
  const { keyId, nonce, validUntil } = action
  return { did: did(action.did), keyId, nonce, validUntil, calls: action.calls.map(bytesOf) }
}

function did(text: string): Did {
  const parsed = parseDid(text)
  if (parsed === undefined) throw new SignerError(422, 'malformed_action', `${text} is not a DID of this ledger.`)
  return parsed
}

function hex(text: string): Hex {
  const lower = text.toLowerCase()
  if (!isHex(lower)) throw new SignerError(422, 'malformed_action', 'A value is not hexadecimal.')
  return lower
}

function hex32(text: string): Hex32 {
  const parsed = parseHex32(text)
  if (parsed === undefined) throw new SignerError(422, 'malformed_action', 'A value is not 32 bytes.')
  return parsed
}
