/** The rules that decide, by what they decide, and the tests that must notice a fault in them. */
export const PARTS = {
  at: {
    mutate: ['api/src/ledger/{at,instant,history-filter,ledger-events}.ts'],
    tests: [
      'api/src/ledger/{at,instant,history-filter,follower,reads}.test.ts',
      'api/src/audit/{history,instants,authorization}.test.ts',
    ],
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
  idempotency: {
    mutate: ['api/src/platform/http/idempotency.ts'],
    tests: ['api/src/platform/http/idempotency.test.ts'],
  },
  fetch: {
    mutate: ['api/src/platform/security/guarded-fetch.ts'],
    tests: ['api/src/platform/security/guarded-fetch.test.ts'],
  },
  signer: {
    mutate: ['signer/src/{batch,group,judgement,outcomes,pipeline,turns,validity}.ts'],
    tests: ['signer/src/*.test.ts', 'signer/test/{pipeline,takeover,faults,fire}.test.ts'],
  },
  bulk: {
    mutate: ['api/src/ecosystems/{bulk-calls,bulk-rows,removal,removal.jobs}.ts'],
    tests: ['api/src/ecosystems/{bulk,removal}*.test.ts'],
  },
  ecosystems: {
    mutate: ['api/src/ecosystems/{price,rights,role,slug}.ts'],
    tests: ['api/src/ecosystems/{price,prices,rights,slug,naming,participants}.test.ts'],
  },
}
