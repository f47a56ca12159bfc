import type { Capability } from '../capability.js'
import { deliverMails } from './mail/deliver-mails.js'
import { forgetOver } from './people/forget-over.js'
import { TEAM_EVENTS } from './teams/team.events.js'

export const accounts: Capability = {
  name: 'accounts',
  operations: async () => (await import('./operations.js')).accounts,
  events: TEAM_EVENTS,
  sweeps: { outward: [deliverMails], daily: [forgetOver] },
}
