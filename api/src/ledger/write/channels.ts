/** The channel on which processes of this service tell the worker of new work. */
export const WORK_CHANNEL = 'service_work'
/** The channel on which the signer tells of actions that came to their end. */
export const OUTCOMES_CHANNEL = 'signer_outcomes'
/** All channels on which the worker is notified; the others are the indexer's. */
export const WAKING_CHANNELS = [WORK_CHANNEL, OUTCOMES_CHANNEL, 'ledger_block', 'ledger_final']
