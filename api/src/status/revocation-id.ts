import { type Hex32, schemaId } from '@accredit/chain'

/** What registries call a credential: blake2b-256 of its id, the same hash that the ledger takes of a schema's URI. */
export const revocationIdOf = (credentialId: string): Hex32 => schemaId(credentialId)

/** A registry id as the API writes it: 64 hexadecimal characters, no 0x. */
export const bareHex = (id: string): string => id.slice(2)
