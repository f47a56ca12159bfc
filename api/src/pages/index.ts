import type { Capability } from '../capability.js'

export const pages: Capability = {
  name: 'pages',
  operations: async () => (await import('./operations.js')).pages,
}
