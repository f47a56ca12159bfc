/** The shapes that cross the signer's door. Server and client read the same schemas. */
import Type, { type Static } from 'typebox'

export const exact = { additionalProperties: false }
const name = { minLength: 1, maxLength: 200, pattern: '^[^\\u0000]+$' }

const Id = Type.String(name)
export const Hex = Type.String({ pattern: '^0x([0-9a-fA-F]{2})*$' })

/** Returns the bytes, as columns keep them. That of `@accredit/chain` takes what is known to be lower-case. */
export const bytesOf = (hex: Static<typeof Hex>): Buffer => Buffer.from(hex.slice(2), 'hex')
/** The share, an opaque text. The work of one share takes turns with that of others, however much it is. */
const Share = Type.Optional(Type.String(name))
const Base64 = Type.String({ pattern: '^[A-Za-z0-9+/]*={0,2}$' })
export const DidText = Type.String({ minLength: 9, maxLength: 200, pattern: '^did:(svc|key):[1-9A-HJ-NP-Za-km-z]+$' })

/** The kinds of key that the signer makes and takes, and that a DID may publish. */
export const KeyKind = Type.Union([
  Type.Literal('Ed25519'),
  Type.Literal('X25519'),
  Type.Literal('BabyJubJub'),
  Type.Literal('Bls12381G2'),
  Type.Literal('Secp256k1'),
  Type.Literal('Sr25519'),
  Type.Literal('Bls12381G2Plus2022'),
])
export type KeyKind = Static<typeof KeyKind>

/**
 * The kinds of all keys here. No DID publishes the last two: a BBDT16 key is secret on both sides, and that of an
 * accumulator stands in its registry.
 */
export const HeldKind = Type.Union([...KeyKind.anyOf, Type.Literal('BBDT16'), Type.Literal('VbAccumulator')])
export type HeldKind = Static<typeof HeldKind>

export const MadeKey = Type.Object({ keyRef: Id, kind: HeldKind, publicKey: Hex }, exact)
export interface MadeKey<Kind extends HeldKind = KeyKind> {
  keyRef: string
  kind: Kind
  publicKey: string
}

export const MakeKeysRequest = Type.Object(
  { handle: Id, kinds: Type.Array(HeldKind, { minItems: 1, maxItems: 32 }), share: Share },
  exact,
)
export const MakeKeysResponse = Type.Object({ keys: Type.Array(MadeKey) }, exact)
const GivenKey = Type.Object({ kind: KeyKind, privateKey: Hex }, exact)
export type GivenKey = Static<typeof GivenKey>
export const ImportKeysRequest = Type.Object(
  { handle: Id, keys: Type.Array(GivenKey, { minItems: 1, maxItems: 32 }), share: Share },
  exact,
)
export const BindKeysRequest = Type.Object({ handle: Id }, exact)
export const RetireKeysRequest = Type.Object({ keyRefs: Type.Array(Id, { minItems: 1, maxItems: 100 }) }, exact)
export const DestroyKeysRequest = Type.Object({ keyRefs: Type.Array(Id, { minItems: 1, maxItems: 100 }) }, exact)
export const ExportKeysRequest = Type.Object({ keyRefs: Type.Array(Id, { minItems: 1, maxItems: 32 }) }, exact)
export const ExportedKey = Type.Object({ keyRef: Id, kind: HeldKind, publicKey: Hex, privateKey: Hex }, exact)
export type ExportedKey = Static<typeof ExportedKey>
export const ExportKeysResponse = Type.Object({ keys: Type.Array(ExportedKey) }, exact)
export const Done = Type.Object({ done: Type.Integer({ minimum: 0 }) }, exact)

export const SignRequest = Type.Object(
  { requests: Type.Array(Type.Object({ keyRef: Id, bytes: Base64 }, exact), { minItems: 1, maxItems: 1000 }) },
  exact,
)
export const Problem = Type.Object({ type: Type.String(), message: Type.String() }, exact)
/** One result per request, in order; one bad request does not spoil its neighbours in the batch. */
export const SignResponse = Type.Object(
  {
    results: Type.Array(
      Type.Union([Type.Object({ signature: Base64 }, exact), Type.Object({ problem: Problem }, exact)]),
    ),
  },
  exact,
)

/** A field element of 32 bytes, little-endian: the message of a key of the BBS family or of Baby Jubjub. */
const Message = Type.String({ pattern: '^[A-Za-z0-9+/]{43}=$' })
const Messages = Type.Array(Message, { minItems: 1, maxItems: 512 })

export const SignMessagesRequest = Type.Object({ keyRef: Id, messages: Messages, share: Share }, exact)
export const SignMessagesResponse = Type.Object({ signature: Base64 }, exact)

/** Something that only the key that made it can check: a MAC over messages, or a holder's proof of one. */
export const VerifyKeyedRequest = Type.Union([
  Type.Object({ keyRef: Id, messages: Messages, mac: Base64, share: Share }, exact),
  Type.Object({ keyRef: Id, proof: Base64, share: Share }, exact),
])
export const VerifyKeyedResponse = Type.Object({ isValid: Type.Boolean() }, exact)

/** An accumulator's value, or a witness of one member: a point of 48 bytes. */
const Point = Type.String({ pattern: '^0x[0-9a-f]{96}$' })
/** Members are numbers: credentials sign the decimal text of theirs. */
const Member = Type.Integer({ minimum: 0, maximum: 0xffff_ffff })
const Members = Type.Array(Member, { maxItems: 1000, uniqueItems: true })

export const UpdateAccumulatorRequest = Type.Object(
  { keyRef: Id, accumulated: Point, additions: Members, removals: Members },
  exact,
)
export const UpdateAccumulatorResponse = Type.Object({ accumulated: Point, witnessUpdateInfo: Hex }, exact)
export const AccumulatorWitnessRequest = Type.Object({ keyRef: Id, accumulated: Point, members: Members }, exact)
export const AccumulatorWitnessResponse = Type.Object({ witnesses: Type.Array(Point) }, exact)

const ServiceEntry = Type.Object(
  { id: Type.String(), type: Type.String(), endpoints: Type.Array(Type.String(), { minItems: 1, maxItems: 16 }) },
  exact,
)
const ActionKey = Type.Object(
  {
    keyRef: Type.Optional(Id),
    kind: KeyKind,
    publicKey: Hex,
    /**
     * Bit flags: authentication 1, assertionMethod 2, capabilityInvocation 4, keyAgreement 8; 0: all that the kind
     * allows.
     */
    relationships: Type.Integer({ minimum: 0, maximum: 15 }),
  },
  exact,
)
const position = {
  id: Id,
  did: DidText,
  sequence: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  /**
   * The share of the action; without it a DID has a share of its own. It may differ when the same action is sent again.
   */
  share: Share,
  /** The trace that it belongs to, as a W3C traceparent. It may differ likewise. */
  trace: Type.Optional(Type.String({ minLength: 55, maxLength: 55 })),
}

/** Puts a new DID on the ledger. The first key is Ed25519, has a `keyRef` and signs. */
export const CreateAction = Type.Object(
  {
    ...position,
    kind: Type.Literal('create'),
    salt: Hex,
    keys: Type.Array(ActionKey, { minItems: 1, maxItems: 32 }),
    controllers: Type.Array(DidText, { maxItems: 8 }),
    services: Type.Array(ServiceEntry, { maxItems: 16 }),
  },
  exact,
)
/** Lets a DID act: up to 64 encoded calls of the three pallets, all or nothing. */
export const DispatchAction = Type.Object(
  {
    ...position,
    kind: Type.Literal('dispatch'),
    keyId: Type.Integer({ minimum: 0, maximum: 0xffff_ffff }),
    keyRef: Id,
    calls: Type.Array(Hex, { minItems: 1, maxItems: 64 }),
  },
  exact,
)
/** An action of a DID whose key is not here: its owner signed these very calls for this nonce and time. */
export const AuthorisedAction = Type.Object(
  {
    ...position,
    kind: Type.Literal('authorised'),
    keyId: Type.Integer({ minimum: 0, maximum: 0xffff_ffff }),
    nonce: Type.Integer({ minimum: 1, maximum: 0xffff_ffff }),
    /** Milliseconds since 1970. */
    validUntil: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    signature: Type.String({ pattern: '^0x[0-9a-fA-F]{128}$' }),
    calls: Type.Array(Hex, { minItems: 1, maxItems: 64 }),
  },
  exact,
)
/** `sequence` counts a DID's actions from 0 without gaps; they take effect in this order. */
export const Action = Type.Union([CreateAction, DispatchAction, AuthorisedAction])
export type CreateAction = Static<typeof CreateAction>
export type DispatchAction = Static<typeof DispatchAction>
export type AuthorisedAction = Static<typeof AuthorisedAction>
export type Action = Static<typeof Action>

export const SubmitActionsRequest = Type.Object({ actions: Type.Array(Action, { minItems: 1, maxItems: 1000 }) }, exact)
export const SubmitActionsResponse = Type.Object({ accepted: Type.Array(Id) }, exact)
export const ActionStatesRequest = Type.Object({ ids: Type.Array(Id, { minItems: 1, maxItems: 2000 }) }, exact)

export const PalletError = Type.Object({ pallet: Type.String(), name: Type.String(), docs: Type.String() }, exact)
export type PalletError = Static<typeof PalletError>

/** The outcome of an action. It has no block if the action was refused before it reached one. */
export const Outcome = Type.Object(
  {
    blockHeight: Type.Optional(Type.Integer()),
    blockHash: Type.Optional(Hex),
    extrinsicHash: Type.Optional(Hex),
    extrinsicIndex: Type.Optional(Type.Integer()),
    nonce: Type.Optional(Type.Integer()),
    callHash: Type.Optional(Hex),
    /** The action's own call, `did.create` or `did.dispatch_as`, as it stands in the extrinsic. */
    encodedTx: Type.Optional(Hex),
    error: Type.Optional(PalletError),
  },
  exact,
)
export type Outcome = Static<typeof Outcome>

export const State = Type.Union([
  Type.Literal('queued'),
  Type.Literal('signed'),
  Type.Literal('submitted'),
  Type.Literal('included'),
  Type.Literal('final'),
  Type.Literal('refused'),
])
export type State = Static<typeof State>

export const ActionState = Type.Object({ id: Id, state: State, outcome: Type.Optional(Outcome) }, exact)
export type ActionState = Static<typeof ActionState>
export const ActionStatesResponse = Type.Object({ states: Type.Array(ActionState) }, exact)

/** A question about the ledger as `@accredit/chain/proof` reads it, and the hash of the final block that it is about. */
export const ProofRequest = Type.Object(
  { question: Type.Unknown(), block: Type.String({ pattern: '^0x[0-9a-f]{64}$' }), share: Share },
  exact,
)
/** The bundle as JSON, in its own bytes. */
export const ProofResponse = Type.Object({ bundle: Type.String() }, exact)

const BlockRef = Type.Object({ height: Type.Integer(), hash: Hex, time: Type.Integer() }, exact)
const Fees = Type.Object(
  {
    /** The fee account cannot pay: new actions wait until it can, and nothing is lost. */
    isPoor: Type.Boolean(),
    /** Decimal text in the chain's smallest unit. */
    balance: Type.String(),
    /** Actions that are in no block yet. */
    waitingActions: Type.Integer(),
  },
  exact,
)
/** `time` is the block's own, in ms since 1970. */
export const ChainStatus = Type.Object(
  {
    genesisHash: Hex,
    specVersion: Type.Integer(),
    transactionVersion: Type.Integer(),
    best: BlockRef,
    final: BlockRef,
    fees: Fees,
  },
  exact,
)
export type ChainStatus = Static<typeof ChainStatus>

/** Balances are decimal text in the chain's smallest unit. */
export const FeeAccount = Type.Object(
  { address: Type.String(), balance: Type.String(), minimum: Type.String(), isPoor: Type.Boolean() },
  exact,
)
export type FeeAccount = Static<typeof FeeAccount>

export const Health = Type.Object(
  { status: Type.Union([Type.Literal('ok'), Type.Literal('poor'), Type.Literal('ledger_unavailable')]) },
  exact,
)
export type Health = Static<typeof Health>
