import type { Capability } from '../capability.js'

/** Teams and their keys. It serves nothing over HTTP: `npm run team` and `npm run key` are its doors. */
export const accounts: Capability = { name: 'accounts' }
