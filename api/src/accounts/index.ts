import type { Capability } from '../capability.js'
import { deliverMails } from './mail/deliver-mails.js'
import { forgetOver } from './people/forget-over.js'

export const accounts: Capability = {
  name: 'accounts',
  operations: async () => (await import('./operations.js')).accounts,
  sweeps: { outward: [deliverMails], daily: [forgetOver] },
}
