/**
 * The rules that decide, by what they decide, and the tests that must notice a fault in them: the nearest ones, since each fault
 * is tried in all of them. None that starts processes: those run compiled code, which no fault reaches.
 */
export const PARTS = {
  at: {
    mutate: ['api/src/ledger/{read/at,read/instant,read/history/history-filter,write/ledger-events}.ts'],
    tests: ['api/src/ledger/{read/at,read/instant,read/history/history-filter,write/follower}.test.ts'],
  },
  verification: {
    mutate: [
      'api/src/verification/{authorised,check,credential-checks,foreign-list,foreign-list-cache,holder-binding,judgement,key-at,presentation-checks,proof-checks,schema,status,structure,validity,verify-request}.ts',
    ],
    tests: ['api/src/verification/*.test.ts'],
  },
  statements: {
    mutate: [
      'api/src/formats/json-ld/{canonical/statements,canonical/unambiguous-json-ld,canonical/credential-form,contexts/inline-context}.ts',
    ],
    tests: ['api/src/formats/**/*.test.ts', 'api/src/verification/{mutants,altered-claims}.test.ts'],
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
    mutate: ['signer/src/actions/{batch,batch-loader,judgement,outcomes,pipeline,turns,validity}.ts'],
    tests: [
      'signer/src/actions/{batch,batch-loader,judgement,outcomes,validity}.test.ts',
      'signer/test/{pipeline,faults,fees,clock}.test.ts',
    ],
  },
  bulk: {
    mutate: ['api/src/ecosystems/{bulk/bulk-calls,bulk/bulk-rows,registries/removal,registries/removal.jobs}.ts'],
    tests: ['api/src/ecosystems/{bulk/bulk,registries/removal}*.test.ts'],
  },
  ecosystems: {
    mutate: ['api/src/ecosystems/{prices/price,rights,participants/role,registries/slug}.ts'],
    tests: ['api/src/ecosystems/{prices/price,rights,registries/slug}.test.ts'],
  },
}
