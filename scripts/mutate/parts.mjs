/**
 * The rules that decide, by what they decide, and the tests that must notice a fault in them: the nearest ones, since each fault
 * is tried in all of them. None that starts processes: those run compiled code, which no fault reaches.
 */
export const PARTS = {
  at: {
    mutate: ['api/src/ledger/{at,instant,history-filter,ledger-events}.ts'],
    tests: ['api/src/ledger/{at,instant,history-filter,follower}.test.ts'],
  },
  verification: {
    mutate: [
      'api/src/verification/{authorised,check,credential-checks,foreign-list,foreign-list-cache,holder-binding,judgement,key-at,presentation-checks,proof-checks,schema,status,structure,validity,verify-request}.ts',
    ],
    tests: ['api/src/verification/*.test.ts'],
  },
  statements: {
    mutate: ['api/src/suites/{statements,plain-form,credential-form,inline-context}.ts'],
    tests: ['api/src/suites/*.test.ts', 'api/src/verification/{mutants,altered-claims}.test.ts'],
  },
  idempotency: { mutate: ['api/src/platform/idempotency.ts'], tests: ['api/src/platform/idempotency.test.ts'] },
  fetch: { mutate: ['api/src/platform/guarded-fetch.ts'], tests: ['api/src/platform/guarded-fetch.test.ts'] },
  signer: {
    mutate: ['signer/src/{batch,group,judgement,outcomes,pipeline,turns,validity}.ts'],
    tests: [
      'signer/src/{batch,group,judgement,outcomes,validity}.test.ts',
      'signer/test/{pipeline,faults,fees,clock}.test.ts',
    ],
  },
  bulk: {
    mutate: ['api/src/ecosystems/{bulk-calls,bulk-rows,removal,removal.jobs}.ts'],
    tests: ['api/src/ecosystems/{bulk,removal}*.test.ts'],
  },
  ecosystems: {
    mutate: ['api/src/ecosystems/{price,rights,role,slug}.ts'],
    tests: ['api/src/ecosystems/{price,rights,slug}.test.ts'],
  },
}
