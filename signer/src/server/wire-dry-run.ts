/** The shapes of dry runs, and of the bytes that callers sign with keys of their own. */
import Type, { type Static } from 'typebox'
import { Action, DidText, exact, Hex, PalletError } from './wire.js'

/** The facts by name, as the ledger's history tells them. */
const Facts = Type.Record(Type.String(), Type.Unknown())

export const LedgerChange = Type.Object(
  {
    event: Type.String(),
    actor: Type.String(),
    keyId: Type.Optional(Type.Integer()),
    registryId: Type.Optional(Type.String()),
    schemaId: Type.Optional(Type.String()),
    subject: Type.Optional(Type.String()),
    before: Type.Optional(Facts),
    after: Type.Optional(Facts),
  },
  exact,
)
export type LedgerChange = Static<typeof LedgerChange>

/** The actions of one dry run, and earlier ones of their DIDs that are still on their way. */
export const maxActions = 500

export const DryRunRequest = Type.Object(
  {
    actions: Type.Array(Action, { minItems: 1, maxItems: maxActions }),
    /** Earlier actions of their DIDs that may not have arrived here yet. */
    before: Type.Array(Action, { maxItems: maxActions }),
  },
  exact,
)
export type DryRunRequest = Static<typeof DryRunRequest>

export const DryRunOutcome = Type.Union([
  Type.Object({ changes: Type.Array(LedgerChange) }, exact),
  Type.Object({ error: PalletError }, exact),
])
export type DryRunOutcome = Static<typeof DryRunOutcome>

/** One outcome for each action, in their order. */
export const DryRunResponse = Type.Object({ outcomes: Type.Array(DryRunOutcome) }, exact)
export type DryRunResponse = Static<typeof DryRunResponse>

/** A request for the bytes that a DID would sign with a key of its own. */
export const PrepareRequest = Type.Object(
  {
    did: DidText,
    keyId: Type.Integer({ minimum: 0, maximum: 0xffff_ffff }),
    calls: Type.Array(Hex, { minItems: 1, maxItems: 64 }),
    /** The time is at most the hour that the ledger takes, with room for clocks that differ. */
    validForMs: Type.Integer({ minimum: 1000, maximum: 3_540_000 }),
    /** Earlier actions of the DID that may not have arrived here yet. */
    before: Type.Array(Action, { maxItems: maxActions }),
  },
  exact,
)
export type PrepareRequest = Static<typeof PrepareRequest>

export const PrepareResponse = Type.Object(
  {
    /** The bytes to sign. */
    payload: Hex,
    nonce: Type.Integer(),
    /** Milliseconds since 1970. */
    validUntil: Type.Integer(),
    /** The reason for which the ledger would refuse it now, however well it is signed. */
    refusal: Type.Optional(PalletError),
  },
  exact,
)
export type PrepareResponse = Static<typeof PrepareResponse>
