export * as did from './did/events'
export * as trustRegistry from './trust-registry/events'
export * as revocation from './revocation/events'
