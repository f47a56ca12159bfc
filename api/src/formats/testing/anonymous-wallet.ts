import { bytesOf, decodeBase58, hexIn, hexOf } from '@accredit/chain'
import crypto from '@docknetwork/crypto-wasm-ts'
import { signedForm } from '../bbs/signed-form.js'
import { isObject, type Json, type JsonObject, textOf } from '../json.js'

/** The wallet of a holder, with the library that wallets in the field have. */

const PROVED: Record<string, string> = {
  Bls12381BBSSignatureDock2023: 'Bls12381BBSSignatureProofDock2023',
  'Bls12381BBS+SignatureDock2022': 'Bls12381BBS+SignatureProofDock2022',
  Bls12381BBDT16MACDock2024: 'Bls12381BBDT16MACProofDock2024',
}

/** The members that wallets always show. */
const ALWAYS = ['@context', 'type', 'proof.type', 'proof.verificationMethod']

export interface Showing {
  credential: JsonObject
  /** Names of members, joined with dots. */
  claims: readonly string[]
  publicKey?: Uint8Array
  membership?: Membership
}

/** The proof that a credential is not revoked, each member 0x. */
export interface Membership {
  witness: string
  accumulated: string
  publicKey: string
  /** The time that the holder claims for it. */
  extra?: JsonObject
}

export interface Question {
  nonce?: string
  context?: string
  /** Names that are equal in several credentials. */
  equal?: readonly (readonly [place: number, name: string])[]
  bounds?: readonly (readonly [place: number, name: string, least: number, most: number])[]
}

/** A presentation in the library's form. */
export async function presentationOf(
  shown: readonly Showing[],
  { nonce, context, equal, bounds }: Question = {},
): Promise<JsonObject> {
  await crypto.initializeWasm()
  const builder = new crypto.PresentationBuilder()
  for (const [place, { credential, claims, publicKey, membership }] of shown.entries()) {
    builder.addCredential(read(credential), publicKey && keyOf(credential, publicKey))
    builder.markAttributesRevealed(place, new Set([...ALWAYS, ...issuerOf(credential), ...claims]))
    if (membership) proveMembership(builder, place, membership)
  }
  if (equal) builder.enforceAttributeEquality(...equal.map(([place, name]): [number, string] => [place, name]))
  for (const [place, name, least, most] of bounds ?? []) builder.enforceBounds(place, name, least, most)
  if (nonce !== undefined) builder.nonce = new TextEncoder().encode(nonce)
  if (context !== undefined) builder.context = context
  const made: JsonObject = JSON.parse(JSON.stringify(builder.finalize().toJSON()))
  return made
}

function proveMembership(
  builder: InstanceType<typeof crypto.PresentationBuilder>,
  place: number,
  { witness, accumulated, publicKey, extra }: Membership,
): void {
  builder.addAccumInfoForCredStatus(
    place,
    new crypto.VBMembershipWitness(bytesOf(hexIn(witness))),
    bytesOf(hexIn(accumulated)),
    new crypto.AccumulatorPublicKey(bytesOf(hexIn(publicKey))),
    extra,
  )
}

interface Update {
  accumulated: string
  additions: readonly number[]
  removals: readonly number[]
  witnessUpdateInfo: string
}

/** The witness (0x) after updates. @throws where one of them removed the member */
export async function updatedWitness(witness: string, index: number, updates: readonly Update[]): Promise<string> {
  await crypto.initializeWasm()
  const encode = crypto.Encoder.defaultEncodeFunc()
  const member = (one: number) => encode(String(one))
  const held = new crypto.VBMembershipWitness(bytesOf(hexIn(witness)))
  for (const { additions, removals, witnessUpdateInfo } of updates)
    held.updateUsingPublicInfoPostBatchUpdate(
      member(index),
      additions.map(member),
      removals.map(member),
      new crypto.VBWitnessUpdateInfo(bytesOf(hexIn(witnessUpdateInfo))),
    )
  return hexOf(Uint8Array.from(held.value))
}

const isPlus = ({ proof }: JsonObject): boolean => isObject(proof) && proof.type === 'Bls12381BBS+SignatureDock2022'

const keyOf = (credential: JsonObject, publicKey: Uint8Array) =>
  isPlus(credential) ? new crypto.BBSPlusPublicKeyG2(publicKey) : new crypto.BBSPublicKey(publicKey)

function read(credential: JsonObject) {
  const { proofValue, ...options } = isObject(credential.proof) ? credential.proof : {}
  const value = (textOf(proofValue) ?? '').slice(1)
  if (decodeBase58(value) === undefined) throw new Error('no signature')
  const form = signedForm(credential, options)
  if (options.type === 'Bls12381BBDT16MACDock2024') return crypto.BBDT16Credential.fromJSON(form, value)
  return (isPlus(credential) ? crypto.BBSPlusCredential : crypto.BBSCredential).fromJSON(form, value)
}

const issuerOf = ({ issuer }: JsonObject): string[] =>
  isObject(issuer) ? Object.keys(issuer).map((name) => `issuer.${name}`) : ['issuer']

/** A presentation of one credential in the form of a credential, as wallets hand it on. */
export function asCredential(presentation: JsonObject, now = new Date().toISOString()): JsonObject {
  const { version = null, nonce = null, context = null, spec, proof: proofValue = null } = presentation
  const { credentials, ...rest } = isObject(spec) ? spec : {}
  const [only] = Array.isArray(credentials) ? credentials : []
  const {
    revealedAttributes,
    schema = null,
    sigType = null,
    version: own = null,
    status,
    bounds,
  } = isObject(only) ? only : {}
  const { proof, '@context': contexts, type, ...shown } = isObject(revealedAttributes) ? revealedAttributes : {}
  return {
    id: 'dock:anonymous:credential',
    issuanceDate: now,
    ...shown,
    '@context': JSON.parse(String(contexts)) as Json,
    type: JSON.parse(String(type)) as Json,
    credentialSchema: schema,
    ...(status !== undefined && { credentialStatus: status }),
    proof: {
      proofPurpose: 'assertionMethod',
      created: now,
      ...(isObject(proof) ? proof : {}),
      type: PROVED[String(sigType)] ?? null,
      proofValue,
      nonce,
      context,
      ...rest,
      version: own,
      presVersion: version,
      sigType,
      ...(bounds !== undefined && { bounds }),
    },
  }
}

/** The same credential with another signature over it, by the library and any key. */
export async function signedBy(secret: Uint8Array, credential: JsonObject): Promise<JsonObject> {
  await crypto.initializeWasm()
  const { proofValue: _, ...options } = isObject(credential.proof) ? credential.proof : {}
  const form = signedForm(credential, options)
  const schema = crypto.CredentialSchema.fromJSON(isObject(form.credentialSchema) ? form.credentialSchema : {})
  const [, messages] = schema.encoder.encodeMessageObjectConstantTime(form)
  const proofValue = `z${crypto.bytearrayToBase58(signatureOver(messages, secret, textOf(options.type)))}`
  return { ...credential, proof: { ...options, proofValue } }
}

function signatureOver(messages: Uint8Array[], secret: Uint8Array, type: string | undefined): Uint8Array {
  if (type === 'Bls12381BBDT16MACDock2024') {
    const parameters = crypto.BBDT16MacParams.generate(messages.length, crypto.BBDT16_MAC_PARAMS_LABEL_BYTES)
    return crypto.BBDT16Mac.generate(messages, new crypto.BBDT16MacSecretKey(secret), parameters, false).bytes
  }
  const parameters = crypto.BBSSignatureParams.generate(messages.length, crypto.BBS_SIGNATURE_PARAMS_LABEL_BYTES)
  return crypto.BBSSignature.generate(messages, new crypto.BBSSecretKey(secret), parameters, false).bytes
}
