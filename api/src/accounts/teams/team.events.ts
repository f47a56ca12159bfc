/** The events of the people of a team that web hooks get. They name people by their ids alone. */
export const TEAM_EVENTS = [
  'team_invitation_accept',
  'team_member_create',
  'team_member_update',
  'team_member_delete',
] as const

/** The events of a person in a team are delivered in their order. */
export const memberResource = (userId: number): string => `team member ${userId}`
