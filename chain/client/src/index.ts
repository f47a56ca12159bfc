export {
  type Creation,
  callHash,
  creationBytes,
  type Dispatch,
  didCreate,
  didIdOf,
  dispatchAs,
  dispatchBytes,
  forceBatch,
  possessionBytes,
} from './authorisation.js'
export { decodeBase58, encodeBase58 } from './base58.js'
export {
  bytesOf,
  type Hex,
  type Hex32,
  hex32Of,
  hexIn,
  hexOf,
  hexPattern,
  isHex,
  parseHex,
  parseHex32,
} from './bytes.js'
export { type AccumulatorUpdate, type Calls, calls, callsOf, type EncodedCall, type RegistryKind } from './calls.js'
export { describeCalls, describedParams, isCall, nameCalls } from './describe.js'
export {
  type ChainDid,
  chainDid,
  type Did,
  didKey,
  didKeyOf,
  didKeyPublicKey,
  didOf,
  didSvc,
  didToHex,
  parseAnyDid,
  parseDid,
} from './did.js'
export { type DidCall, didCallNamed, didCalls, type ReadCall } from './did-calls.js'
export {
  type DidDocument,
  type DidDocumentMetadata,
  type DidService,
  type DidState,
  didDocument,
  didDocumentMetadata,
  didKeyState,
  publicKeyMultibase,
  type VerificationMethod,
  verificationMethodId,
  verificationMethodOf,
} from './did-document.js'
export { type DryRun, type DryRunOutcome, dryRun } from './dry-run.js'
export { type ChainError, type ChainEvent, chainError, decodeEvents, isEvent } from './events.js'
export type { CallParameters } from './generated/calls.js'
export type { DescribedCalls } from './generated/described-calls.js'
export type { ErrorName } from './generated/errors.js'
export type { EventData } from './generated/events.js'
export {
  type ChainKey,
  KEY_LENGTHS,
  type KeyEntry,
  type KeyInput,
  type KeyKind,
  RELATIONSHIPS,
  resolveRelationships,
  type ServiceEntry,
} from './key.js'
export type { LedgerChange } from './ledger-change.js'
export {
  isBlankParam,
  ParamError,
  type ParamPlace,
  type ParamProblem,
  paramProblemText,
  readEach,
} from './params/param-error.js'
export { nameProblem, shownLineProblem } from './params/text-rules.js'
export { type CallDescription, type Plain, plain } from './plain.js'
export { schemaId } from './schema-id.js'
export type {
  DelegatedUpdate,
  DelegateOp,
  IssuerOp,
  IssuersUpdate,
  MetadataUpdate,
  PriceOp,
  Prices,
  SchemaMetadata,
  SchemaOp,
  SchemasUpdate,
  VerifierOp,
  VerifiersUpdate,
} from './schemas-update.js'
export { ChainTypes, chainTypes, type Encodable } from './types.js'
export { isFragment, isServiceId, isUri } from './uri.js'
export { type ViewCall, type ViewFilter, viewFunctions } from './views/view-functions.js'
export type {
  AuthorizationAnswer,
  IssuerAnswer,
  Page,
  ParticipationAnswer,
  PreviewAnswer,
  RegistryInfoAnswer,
  SchemaMetadataAnswer,
} from './views/view-functions-answers.js'
export { ViewFunctionError } from './views/view-functions-metadata.js'
