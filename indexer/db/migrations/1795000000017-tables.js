const migration = require('../migration')

/** These never come back once they have ended: of them, what began and ended in one block has a row, true at no block. */
const TOMBSTONES = ['did', 'did_key', 'trust_registry', 'revocation_registry']

/** A fact with its time: true from one block up to, not including, another; at most one row of a key is open. */
const temporal = (table, primaryKey, columns) => [
  `CREATE TABLE ${table} (
    id character varying NOT NULL,
    key text NOT NULL,
    ${columns},
    CONSTRAINT "${primaryKey}" PRIMARY KEY (id),
    CONSTRAINT ${table}_interval CHECK (to_block ${TOMBSTONES.includes(table) ? '>=' : '>'} from_block)
  )`,
  `CREATE UNIQUE INDEX ${table}_open ON ${table} (key) WHERE to_block IS NULL`,
]

const BLOCKS = [
  `CREATE TABLE block (
    id character varying NOT NULL,
    height integer NOT NULL,
    hash text NOT NULL,
    time timestamp with time zone NOT NULL,
    spec_version integer NOT NULL,
    CONSTRAINT "PK_d0925763efb591c2e2ffb267572" PRIMARY KEY (id)
  )`,
  'CREATE UNIQUE INDEX "IDX_bce676e2b005104ccb768495db" ON block (height)',
  'CREATE INDEX ON block (time, height)',
  'CREATE INDEX ON block (hash)',

  `CREATE TABLE finality (
    id character varying NOT NULL,
    height integer NOT NULL,
    hash text NOT NULL,
    seen_at timestamp with time zone NOT NULL,
    behind_since timestamp with time zone,
    CONSTRAINT "PK_89940a0019f68da68fd673695f1" PRIMARY KEY (id)
  )`,
]

/** The audit trail has an index for each thing that it is asked for by, in its order. */
const EVENTS = [
  `CREATE TABLE event (
    id character varying NOT NULL,
    block integer NOT NULL,
    index integer NOT NULL,
    time timestamp with time zone NOT NULL,
    extrinsic_hash text,
    name text NOT NULL,
    actor text NOT NULL,
    key_id integer,
    nonce integer,
    submitter text,
    call_hash text,
    trust_registry_id text,
    revocation_registry_id text,
    schema_id text,
    subject text,
    before jsonb,
    after jsonb,
    CONSTRAINT "PK_30c2f3bbaf6d34a55f8ae6e4614" PRIMARY KEY (id)
  )`,
  'CREATE UNIQUE INDEX event_order ON event (block, index)',
  ...['trust_registry_id', 'revocation_registry_id', 'schema_id', 'subject', 'actor', 'name'].map(
    (column) => `CREATE INDEX ON event (${column}, block, index) WHERE ${column} IS NOT NULL`,
  ),
  'CREATE INDEX ON event (call_hash) WHERE call_hash IS NOT NULL',
  'CREATE INDEX ON event (extrinsic_hash) WHERE extrinsic_hash IS NOT NULL',
  'CREATE INDEX event_registry_name ON event (trust_registry_id, name, block, index) WHERE trust_registry_id IS NOT NULL',
]

const DIDS = [
  ...temporal(
    'did',
    'PK_f6c62aba17457dbc1176ad16f8d',
    `did text NOT NULL,
    submitter text NOT NULL,
    from_block integer NOT NULL,
    to_block integer`,
  ),
  'CREATE INDEX ON did (did)',
  'CREATE INDEX did_gone ON did (did, to_block) WHERE to_block IS NOT NULL',
  'CREATE INDEX did_order ON did (did COLLATE "C") INCLUDE (from_block)',

  ...temporal(
    'did_key',
    'PK_0c976fb0b4842c15336daf1607c',
    `did text NOT NULL,
    key_id integer NOT NULL,
    kind text NOT NULL,
    public_key text NOT NULL,
    relationships integer NOT NULL,
    end_reason text,
    from_block integer NOT NULL,
    to_block integer`,
  ),
  'CREATE INDEX ON did_key (did, key_id)',

  ...temporal(
    'did_controller',
    'PK_50c3a3d87f907e9b1c31221cc5a',
    `did text NOT NULL,
    controller text NOT NULL,
    from_block integer NOT NULL,
    to_block integer`,
  ),
  'CREATE INDEX ON did_controller (did, from_block)',
  'CREATE INDEX ON did_controller (controller, from_block)',

  ...temporal(
    'did_service',
    'PK_bab1261ee04f3327c27e21a71ce',
    `did text NOT NULL,
    service_id text NOT NULL,
    type text NOT NULL,
    endpoints jsonb NOT NULL,
    from_block integer NOT NULL,
    to_block integer`,
  ),
  'CREATE INDEX ON did_service (did, from_block)',

  `CREATE TABLE nonce (
    id character varying NOT NULL,
    nonce integer NOT NULL,
    CONSTRAINT "PK_16620962f69fc3620001801e275" PRIMARY KEY (id)
  )`,
]

const REGISTRIES = [
  ...temporal(
    'trust_registry',
    'PK_65f9438f937423112a5178ddfc8',
    `registry_id text NOT NULL,
    convener text NOT NULL,
    pending_convener text,
    name text NOT NULL,
    gov_framework text NOT NULL,
    version integer NOT NULL,
    from_block integer NOT NULL,
    to_block integer`,
  ),
  'CREATE INDEX ON trust_registry (registry_id, from_block)',
  'CREATE INDEX ON trust_registry (convener, from_block)',
  'CREATE INDEX trust_registry_order ON trust_registry (registry_id COLLATE "C") INCLUDE (from_block, to_block)',
  'CREATE INDEX trust_registry_newest ON trust_registry (from_block DESC, registry_id)',

  ...temporal(
    'registry_schema',
    'PK_53363e81234b1a0c90793193f38',
    `registry_id text NOT NULL,
    schema_id text NOT NULL,
    is_public boolean NOT NULL,
    from_block integer NOT NULL,
    to_block integer`,
  ),
  'CREATE INDEX ON registry_schema (registry_id, schema_id, from_block)',
  'CREATE INDEX ON registry_schema (schema_id, registry_id, from_block)',
]

const began = (table) => [
  `CREATE INDEX ${table}_began ON ${table} (registry_id, from_block)`,
  `CREATE INDEX ${table}_ended ON ${table} (registry_id, to_block) WHERE to_block IS NOT NULL`,
]

/**
 * Indexes of places hold all that a comparison looks at: where a registry lists many more than others do, the planner else reads
 * all of it again for each DID. What began and what ended between two blocks is found for comparing a registry at both.
 */
const PARTICIPANTS = [
  ...temporal(
    'issuer',
    'PK_0650c5a53be3a0d22b580e27d25',
    `registry_id text NOT NULL,
    schema_id text NOT NULL,
    did text NOT NULL,
    prices jsonb NOT NULL,
    from_block integer NOT NULL,
    to_block integer`,
  ),
  ...temporal(
    'verifier',
    'PK_b72ba840a5a8301e0a686fba6b0',
    `registry_id text NOT NULL,
    schema_id text NOT NULL,
    did text NOT NULL,
    from_block integer NOT NULL,
    to_block integer`,
  ),
  ...['issuer', 'verifier'].flatMap((table) => [
    `CREATE INDEX ON ${table} (schema_id, from_block)`,
    `CREATE INDEX ${table}_order ON ${table} (registry_id, schema_id, did COLLATE "C") INCLUDE (from_block, to_block)`,
    ...began(table),
    `CREATE INDEX ${table}_place ON ${table} (registry_id, schema_id, did, from_block) INCLUDE (to_block)`,
    `CREATE INDEX ${table}_did ON ${table} (did, registry_id, from_block) INCLUDE (schema_id, to_block)`,
  ]),
  // Few issuers ask for money: they are found without looking at all others of a schema.
  "CREATE INDEX issuer_priced ON issuer (registry_id, schema_id, did) WHERE prices <> '{}'",

  ...temporal(
    'suspension',
    'PK_b46f45ab12700f920ef9237a967',
    `registry_id text NOT NULL,
    did text NOT NULL,
    from_block integer NOT NULL,
    to_block integer`,
  ),
  'CREATE INDEX ON suspension (registry_id, did, from_block)',
  'CREATE INDEX ON suspension (did, from_block)',
  ...began('suspension'),

  ...temporal(
    'delegation',
    'PK_a2cb6c9b942d68b109131beab44',
    `registry_id text NOT NULL,
    issuer text NOT NULL,
    issuer_order text NOT NULL,
    delegate text NOT NULL,
    from_block integer NOT NULL,
    to_block integer`,
  ),
  'CREATE INDEX ON delegation (registry_id, delegate, from_block)',
  'CREATE INDEX ON delegation (registry_id, issuer, from_block)',
  'CREATE INDEX ON delegation (delegate, from_block)',
  'CREATE INDEX delegation_order ON delegation (registry_id, delegate COLLATE "C")',
  ...began('delegation'),
]

/** Triggers keep these (functions/refresh_listing.sql), so that a page of a list is read in its order, and no number counted. */
const LISTINGS = [
  `CREATE TABLE listing (
    registry_id text NOT NULL,
    part text NOT NULL,
    did text NOT NULL,
    since integer NOT NULL,
    from_block integer NOT NULL,
    to_block integer,
    active_to integer
  )`,
  'CREATE INDEX listing_order ON listing (registry_id, part, did COLLATE "C") INCLUDE (from_block, to_block)',
  // A participant is asked for by an id that follows from registry and DID: its first bytes find it.
  `CREATE INDEX listing_digest ON listing (substr(sha256((registry_id || '/' || did)::bytea), 1, 6)) WHERE part = 'any'`,
  "CREATE INDEX listing_began ON listing (registry_id, from_block) WHERE part = 'any'",
  "CREATE INDEX listing_ended ON listing (registry_id, to_block) WHERE part = 'any' AND to_block IS NOT NULL",
  'CREATE INDEX listing_newest ON listing (registry_id, part, since DESC, did) INCLUDE (from_block, to_block, active_to)',
  // With the part behind the registry, Postgres 18 skips over what is not asked for, finds that dear and reads everybody instead.
  'CREATE INDEX listing_did ON listing (did, registry_id)',
  "CREATE INDEX listing_did_any ON listing (did) WHERE part = 'any'",

  `CREATE TABLE listing_count (
    registry_id text NOT NULL,
    part text NOT NULL,
    block integer NOT NULL,
    listed integer NOT NULL,
    active integer NOT NULL,
    more_listed integer NOT NULL,
    more_active integer NOT NULL,
    PRIMARY KEY (registry_id, part, block)
  )`,
]

const REVOCATION = [
  ...temporal(
    'revocation_registry',
    'PK_4890156bb1f01c54c4facd13dec',
    `registry_id text NOT NULL,
    policy text array NOT NULL,
    creator text NOT NULL,
    add_only boolean NOT NULL,
    kind text NOT NULL,
    length integer,
    version integer NOT NULL,
    from_block integer NOT NULL,
    to_block integer,
    public_key text,
    accumulated text`,
  ),
  'CREATE INDEX ON revocation_registry (creator, from_block)',
  'CREATE INDEX ON revocation_registry (registry_id, from_block)',
  'CREATE INDEX revocation_registry_order ON revocation_registry (registry_id COLLATE "C") INCLUDE (from_block)',

  `CREATE TABLE accumulator_update (
    id character varying NOT NULL PRIMARY KEY,
    registry_id text NOT NULL,
    version integer NOT NULL,
    block integer NOT NULL,
    accumulated text NOT NULL,
    additions integer array NOT NULL,
    removals integer array NOT NULL,
    witness_update_info text NOT NULL
  )`,
  'CREATE INDEX ON accumulator_update (registry_id, version)',

  ...temporal(
    'status_bit',
    'PK_71125327ad6ae72e693e174b57d',
    `registry_id text NOT NULL,
    index integer NOT NULL,
    from_block integer NOT NULL,
    to_block integer`,
  ),
  'CREATE INDEX ON status_bit (registry_id, index, from_block)',
  'CREATE INDEX ON status_bit (registry_id, from_block)',
]

/**
 * All tables and indexes; every question about one thing or one list, now or in the past, is an index scan. Of indexes that cost
 * the same the planner's choice follows the order in which they were made, so a new one comes last. The migration bears the name of
 * the last of those that it stands for: an index at that one has all of this and goes on, and any other is made anew.
 */
module.exports = migration('ListingsOfADid1795000000017', [
  ...BLOCKS,
  ...EVENTS,
  ...DIDS,
  ...REGISTRIES,
  ...PARTICIPANTS,
  ...LISTINGS,
  ...REVOCATION,
])
