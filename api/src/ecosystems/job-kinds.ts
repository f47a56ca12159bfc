/** The kinds of jobs of ecosystems. Their subject is the registry's id. */
export const JOB = {
  create: 'trustRegistry.create',
  update: 'trustRegistry.update',
  accept: 'participant.accept',
  change: 'participant.change',
  price: 'participant.price',
  remove: 'participant.remove',
  removal: 'trustRegistry.removal',
  bulk: 'participant.bulk',
} as const
