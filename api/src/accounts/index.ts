import type { Capability } from '../capability.js'
import { tellExpiringKeys } from './keys/tell-expiring-keys.js'
import { deliverMails } from './mail/deliver-mails.js'

export const accounts: Capability = {
  name: 'accounts',
  operations: async () => (await import('./operations.js')).accounts,
  sweeps: { outward: [deliverMails], daily: [tellExpiringKeys] },
}
