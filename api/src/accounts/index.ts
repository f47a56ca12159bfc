import type { Capability } from '../capability.js'
import { tellExpiringKeys } from './keys/tell-expiring-keys.js'
import { deliverMails } from './mail/deliver-mails.js'
import { TEAM_EVENTS } from './teams/team.events.js'

export const accounts: Capability = {
  name: 'accounts',
  operations: async () => (await import('./operations.js')).accounts,
  events: TEAM_EVENTS,
  sweeps: { outward: [deliverMails], daily: [tellExpiringKeys] },
}
