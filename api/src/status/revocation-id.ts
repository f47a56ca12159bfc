import { type Hex32, schemaId } from '@accredit/chain'

/** Returns a credential's id in registries: blake2b-256 of its own id, like the ledger's hash of a schema's URI. */
export const revocationIdOf = (credentialId: string): Hex32 => schemaId(credentialId)

/** Returns a registry id as the API writes it: 64 hexadecimal characters, no 0x. */
export const bareHex = (id: string): string => id.slice(2)
