import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { filesBelow, root } from './support/repository-files.js'

/** Values that a process keeps beyond one request. */
const MEMORY = /new (?:LRUCache|BriefMemory)\b|\b(?:answersByBlock|settledPoints)</
const OF_MODULE = /^const \w+ = (?:new (?:Map|WeakMap)<|oneOfEach\b)/m

/** Values that change, each with the test that breaks when one is used for longer than it may be. */
const BOUNDED: Readonly<Record<string, readonly [file: string, title: string]>> = {
  'api/src/platform/process/brief-memory.ts': [
    'api/src/platform/process/brief-memory.test.ts',
    'an answer is asked for once a second, counted from when it was asked for',
  ],
  'api/src/platform/security/remembered-rows.ts': [
    'api/src/platform/security/authentication.test.ts',
    'a key and a session that ended are remembered for a second at most, also those that another replica ended',
  ],
  'api/src/credentials/issuing/issuer.ts': [
    'api/src/credentials/issuing/issuing-races.test.ts',
    'a credential has the name and the key that its issuer got a moment ago',
  ],
  'api/src/revocation/get-status-list.ts': [
    'api/src/revocation/revocation.test.ts',
    'is public, signed, of the registered form, verifies, and is signed again only when bits change',
  ],
  'api/src/revocation/automatic-registry.ts': [
    'api/src/revocation/automatic-registry.test.ts',
    'the places of a list are counted again after a thousand credentials',
  ],
  'api/src/ledger/read/at.ts': [
    'api/src/ledger/read/at.test.ts',
    'is settled before the newest block that is final here, and by this block’s hash',
  ],
  'api/src/ledger/read/settled-points.ts': [
    'api/src/ledger/read/at.test.ts',
    'a block whose successor the index took back meanwhile is refused',
  ],
  'api/src/ledger/read/answers-by-block.ts': [
    'api/src/ledger/read/authorization.test.ts',
    'an answer is not kept when another block took the place of the one that was asked about',
  ],
  'api/src/ledger/read/authorization.ts': [
    'api/src/ledger/read/authorization.test.ts',
    'the present is told anew with each block',
  ],
  'api/src/ledger/read/did-state.ts': [
    'api/src/ledger/read/did-state.test.ts',
    'a key that was revoked in the next block is revoked from then on, at every point that is asked about',
  ],
  'api/src/ledger/read/history/history-totals.ts': [
    'api/src/audit/remembered.test.ts',
    'a total counts the events of blocks that are not final anew, and those that came since',
  ],
  'api/src/audit/schema-uris.ts': [
    'api/src/audit/remembered.test.ts',
    'the URI of a schema is asked for again after a minute',
  ],
  'api/src/platform/http/caching/kept-answers.ts': [
    'api/src/platform/http/caching/kept-answers.test.ts',
    'an answer with Cache-Control %s, as one about the present has, is asked for anew',
  ],
  'api/src/platform/security/attempts.ts': [
    'api/src/platform/security/attempts.test.ts',
    'the limit of a name ends with its window, to the millisecond',
  ],
  'api/src/verification/distrust.ts': [
    'api/src/verification/hostile-lists.test.ts',
    'the proofs of a list after one that does not hold are not looked at, and a refused list is not asked again',
  ],
  'api/src/schemas/remote/remote-documents.ts': [
    'api/src/schemas/remote/remote-documents.test.ts',
    'a document that could not be fetched is not asked for again for a minute',
  ],
  'api/src/dids/foreign/did-documents.ts': [
    'api/src/verification/tokens/foreign-dids.test.ts',
    'a failure is not asked again for ten seconds, and then it is',
  ],
  'api/src/status/status-list/foreign-list-cache.ts': [
    'api/src/status/status-list/foreign-list-cache.test.ts',
    'a list that is older than asked for is not used, neither kept nor on its way',
  ],
}

/** Values that follow from their names, or never change, and what is under way: nothing of it can be too old. */
const NEVER_OLD: Readonly<Record<string, string>> = {
  'api/src/accounts/mail/deliver-mails.ts': 'the round that is under way',
  'api/src/credentials/issuing/hosted.ts': 'hosted documents never change, and are served after they are deleted too',
  'api/src/data/export/export-data.ts': 'the exports that are under way',
  'api/src/data/table-shapes.ts': 'the tables change with a migration, before a process starts',
  'api/src/formats/json-ld/canonical/canonical-hashes.ts': 'the text of an object that nobody changes',
  'api/src/formats/json-ld/contexts/context-budget.ts': 'the weight of an object that nobody changes',
  'api/src/formats/json-ld/contexts/known-contexts.ts': 'the terms of contexts that ship with the service',
  'api/src/formats/json-ld/contexts/type-scopes.ts': 'what a context makes of another one, by both: neither changes',
  'api/src/formats/json-ld/suites/proof-quads.ts': 'a table of terms',
  'api/src/formats/keys/key-object.ts': 'a key, by its bytes',
  'api/src/ledger/read/index-db.ts': 'the connections for statements by key, by those for others',
  'api/src/ledger/write/job-watch.ts': 'the readers that watch jobs, and the requests that wait for them',
  'api/src/ledger/write/start-job.ts': 'the jobs of the transaction that is open',
  'api/src/pages/markdown.ts': 'the form of a text, by the text',
  'api/src/pages/page-refusal.ts': 'the words of a refusal, and a table of them',
  'api/src/platform/http/caching/entity-tag.ts': 'the tag of an answer that nobody changes',
  'api/src/platform/http/reference/reference.ts': 'the reference of this version, zipped',
  'api/src/platform/process/batch-loader.ts': 'the questions that wait to be answered together',
  'api/src/platform/security/client-address.ts': 'the network of an address, by the address',
  'api/src/platform/security/service-key.ts': 'keys that follow from the service key and a label',
  'api/src/profiles/logo.ts': 'a table of types',
  'api/src/schemas/check/schema-rules.ts': 'a table of dialects',
  'api/src/schemas/check/schema-threads.ts': 'the digest of an object that nobody changes',
  'api/src/schemas/check/shown-claims.ts': 'the claims of an object that nobody changes',
  'api/src/status/accumulator/keys.ts': 'the key of a registry never changes, and is forgotten when it is destroyed',
  'api/src/status/list-terms.ts': 'the terms of a list never change',
  'indexer/src/blocks/decode-block.ts': 'how the events of a runtime are read, by the runtime',
  'indexer/src/read-blocks.ts': 'a table of handlers',
}

const textOf = (file: string): string => readFileSync(join(root, file), 'utf8')

const remembering = ['api/src', 'signer/src', 'indexer/src']
  .flatMap(filesBelow)
  .filter((file) => file.endsWith('.ts') && !/\.test\.ts$|testing/.test(file))
  .filter((file) => MEMORY.test(textOf(file)) || OF_MODULE.test(textOf(file)))

test('each memory has a test that breaks when its values are too old, or a reason for which they never are', () => {
  const declared = [...Object.keys(BOUNDED), ...Object.keys(NEVER_OLD)]
  expect(declared.sort()).toEqual(remembering.sort())
})

test('each of these tests is there', () => {
  const missing = Object.values(BOUNDED).filter(([file, title]) => !textOf(file).includes(`'${title}'`))
  expect(missing).toEqual([])
})
