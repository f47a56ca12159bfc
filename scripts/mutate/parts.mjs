/** Texts for people decide nothing. */
export const EXCLUDED_MUTATIONS = ['StringLiteral', 'ObjectLiteral']

/**
 * The rules that decide, by subject, with the tests that must notice a fault in them: the nearest ones, since each
 * fault is tried in all of them. None starts processes: those run compiled code, which no fault reaches.
 */
export const PARTS = {
  at: {
    mutate: ['api/src/ledger/{read/at,read/instant,read/history/history-filter,write/ledger-events}.ts'],
    tests: ['api/src/ledger/{read/at,read/instant,read/history/history-filter,write/follower}.test.ts'],
  },
  verification: {
    mutate: [
      'api/src/verification/{authorised,credential-checks,distrust,holder-binding,issuer-key,judgement,key-at,presentation-checks}.ts',
      'api/src/verification/{proof-checks,schema,signed-checks,status,validity,verification-door,verify-request,verify-result}.ts',
      'api/src/formats/check.ts',
    ],
    tests: [
      'api/src/verification/*.test.ts',
      'api/src/verification/tokens/{jwt-presentations,sd-jwt}.test.ts',
      'api/src/formats/check.test.ts',
    ],
  },
  status: {
    mutate: [
      'api/src/status/{bit-calls,entries.store,registry-standing,status-methods,legacy-list/index}.ts',
      'api/src/status/status-list/{check-entry,encoded-list,foreign-list,foreign-list-cache,index,list-document,list-method,read-entry}.ts',
      'api/src/status/status-list/{published-list,status-entry,status-finding,status-list-credential}.ts',
      'api/src/status/{accumulator/check,accumulator/entry,bitstring-list/read-bitstring-entry,token-list/packed-statuses}.ts',
    ],
    tests: [
      'api/src/status/**/*.test.ts',
      'api/src/verification/{accumulators,foreign-list,foreign-list-forms,hostile-lists,made-up,status}.test.ts',
      'api/src/revocation/{acting-did,list-forms,lists-before-did-ends,revocation}.test.ts',
    ],
  },
  statements: {
    mutate: [
      'api/src/formats/json-ld/{canonical/statements,canonical/unambiguous-json-ld,canonical/credential-form,contexts/inline-context}.ts',
    ],
    tests: ['api/src/formats/**/*.test.ts', 'api/src/verification/{mutants,altered-claims}.test.ts'],
  },
  documents: {
    mutate: [
      'api/src/formats/json-ld/{document-claims,document-proofs,limits,linked-data-proof,recognise-document,status-lists,suites/proof-quads}.ts',
      'api/src/formats/json-ld/{canonical/duplicate-subjects,canonical/standard-form,contexts/context-budget}.ts',
      'api/src/formats/keys/{small-order,verify-key}.ts',
    ],
    tests: [
      'api/src/formats/**/*.test.ts',
      'api/src/verification/{altered-claims,hostile-lists,mutants,verify-credential}.test.ts',
    ],
  },
  idempotency: {
    mutate: ['api/src/platform/http/idempotency.ts'],
    tests: ['api/src/platform/http/idempotency.test.ts'],
  },
  fetch: {
    mutate: ['api/src/platform/security/guarded-fetch.ts'],
    tests: ['api/src/platform/security/guarded-fetch.test.ts'],
  },
  processes: {
    mutate: ['chain/process/src/{answer-in-halves,batch-loader,loop,seal}.ts'],
    tests: ['chain/process/src/*.test.ts'],
  },
  signer: {
    mutate: ['signer/src/actions/{batch,batcher,judgement,outcomes,pipeline,turns,validity}.ts'],
    tests: [
      'signer/src/actions/{batch,batcher,judgement,outcomes,validity}.test.ts',
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
