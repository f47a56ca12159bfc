/** The kinds of notifications, each with who causes it and what its data is. A new kind is a line here. */
export const NOTIFICATIONS = {
  invitation_accepted: 'A person accepted an invitation to the team. data: userId, role',
  member_removed: 'Somebody removed a person from the team. data: userId, keysThatStay (the number of lasting keys)',
  team_transferred: 'The owner gave the team to another member. data: from, to (numbers of people)',
  webhook_disabled:
    'The service disabled a web hook that failed for days, or whose receiver wants no more. data: id, reason',
  job_failed:
    'The ledger, or whoever else a job needed, refused it; or no row of a batch could be issued. data: jobId, kind, error',
  plan_changed: 'The owner chose another plan. data: from, to',
  plan_limit_near: 'Four fifths of the transactions of a month are used. data: limit, used, month',
  plan_limit_reached:
    'All transactions of a month are used: what counts is 402 until the next one. data: limit, used, month',
  key_expiring: 'A key ends within a week. data: key (its public part), expires',
  retention_report:
    'Data went by a policy of the team, for the first time on a day; GET /data/retention has the numbers. data: kind, policy, day',
} as const

export type NotificationType = keyof typeof NOTIFICATIONS
