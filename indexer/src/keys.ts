/** A key names the subject of a temporal row: at most one row of a key is open at a time. */

export function didKeyKey(did: string, keyId: number): string {
  return `${did}#keys-${keyId}`
}

export function controllerKey(did: string, controller: string): string {
  return `${did}/${controller}`
}

export function serviceKey(did: string, serviceId: string): string {
  return `${did}/${serviceId}`
}

export function schemaKey(registryId: string, schemaId: string): string {
  return `${registryId}/${schemaId}`
}

/** An issuer's or a verifier's place in a schema of a registry. */
export function placeKey(registryId: string, schemaId: string, did: string): string {
  return `${registryId}/${schemaId}/${did}`
}

export function standingKey(registryId: string, did: string): string {
  return `${registryId}/${did}`
}

export function delegationKey(registryId: string, issuer: string, delegate: string): string {
  return `${registryId}/${issuer}/${delegate}`
}

export function statusBitKey(registryId: string, index: number): string {
  return `${registryId}/${index}`
}
