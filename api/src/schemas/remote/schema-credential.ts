import { type Finding, failed, unavailable } from '../../formats/check.js'
import type { Recognised } from '../../formats/credential-format.js'
import { asArray, isObject, type Json, type JsonObject } from '../../formats/json.js'
import type { At } from '../../ledger/read/at.js'
import type { OperationServices } from '../../platform/http/context.js'
import { parseJson } from '../../platform/http/input/json.js'
import type { CheckingDoor } from '../../status/status-method.js'
import type { RemoteDocuments } from './remote-documents.js'

/** The type of schemas that stand in a credential of their own (Verifiable Credentials JSON Schema, section 2.2). */
export const IN_CREDENTIAL = 'JsonSchemaCredential'

export interface SchemaCredentialDoor extends Pick<OperationServices, 'formats'>, Pick<CheckingDoor, 'distrust'> {
  remoteDocuments: RemoteDocuments
}

/** Returns the schema in a credential, which has to verify like any that is pasted in, or why there is none. */
export async function schemaInCredential(
  door: SchemaCredentialDoor,
  uri: string,
  at: At,
): Promise<{ document: JsonObject } | Finding> {
  const where = `the credential with the schema, ${uri.slice(0, 200)},`
  const found = await door.remoteDocuments.bytesAt(uri)
  if ('reason' in found) return unavailable(`${where} cannot be had: ${found.reason}`)
  const given = textIn(found)
  const read = given === undefined ? undefined : credentialIn(door.formats.recognise(given))
  if (given === undefined || read === undefined) return unavailable(`${where} is no credential of a schema`)
  const why = await door.distrust(given, read.issuer, at)
  if (why !== undefined) return failed('schema_not_trusted', `${where} does not verify: ${why}`)
  const accepted = await door.remoteDocuments.accept(read.schema)
  return 'reason' in accepted ? unavailable(`${where} holds none that can be used: ${accepted.reason}`) : accepted
}

/** Returns the object or token that stands at an address. */
function textIn([bytes]: readonly Uint8Array[]): string | JsonObject | undefined {
  const text = Buffer.from(bytes ?? []).toString()
  if (!text.trimStart().startsWith('{')) return text.trim()
  try {
    const document = parseJson(text)
    return isObject(document) ? document : undefined
  } catch {
    return undefined
  }
}

interface SchemaCredential {
  issuer: string
  schema: JsonObject
}

function credentialIn(read: Recognised): SchemaCredential | undefined {
  if (read.wrong || read.kind !== 'credential') return undefined
  const { types, subject, issuer } = read.claims
  const schema = isObject(subject) && isOfType(subject.type, 'JsonSchema') ? subject.jsonSchema : undefined
  return types.includes(IN_CREDENTIAL) && issuer !== undefined && isObject(schema) ? { issuer, schema } : undefined
}

const isOfType = (types: Json | undefined, name: string): boolean => asArray(types).includes(name)
