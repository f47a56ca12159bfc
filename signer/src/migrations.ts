import { type Kysely, type Migration, Migrator, sql } from 'kysely'
import type { Db } from './database.js'
import { SetupError } from './errors.js'

/** Append only: a migration that has run anywhere is never edited. */
const migrations: Record<string, Migration> = {
  '0001-keys-actions-lease': { up: (db) => runEach(db, firstTables) },
  '0002-last-nonce': { up: (db) => runEach(db, lastNonceIndex) },
  '0003-key-kinds': { up: (db) => runEach(db, allKeyKinds) },
  '0004-holder': { up: (db) => runEach(db, holder) },
  '0005-queued-of-did': { up: (db) => runEach(db, queuedOfDid) },
  '0006-share': { up: (db) => runEach(db, share) },
  '0007-keyed-kinds': { up: (db) => runEach(db, keyedKinds) },
  '0008-accumulators': { up: (db) => runEach(db, accumulatorKind) },
  '0009-trace': { up: (db) => runEach(db, trace) },
  '0010-retired-keys': { up: (db) => runEach(db, retiredKeys) },
}

/** Brings the tables up to date, or to where they were after the migration named `upTo`. */
export async function migrate(db: Db, upTo?: string): Promise<void> {
  const provider = { getMigrations: async () => migrations }
  const migrator = new Migrator({ db, provider, migrationTableSchema: 'signer' })
  if (upTo !== undefined && !(upTo in migrations)) throw new SetupError(`This version has no migration ${upTo}.`)
  const { error } = await (upTo === undefined ? migrator.migrateToLatest() : migrator.migrateTo(upTo))
  if (error !== undefined) throw error
}

/** Lets the ledger's role see how far the signer has followed it: a ledger that has less was restored from a copy. */
export async function grantToChain(db: Db, role: string | undefined): Promise<void> {
  if (role === undefined) return
  await sql`grant usage on schema signer to ${sql.id(role)}`.execute(db)
  await sql`grant select on signer.ledger to ${sql.id(role)}`.execute(db)
}

async function runEach(db: Kysely<unknown>, statements: string): Promise<void> {
  for (const statement of statements.split(';\n')) await sql.raw(statement).execute(db)
}

const lastNonceIndex = `create index extrinsics_final on signer.extrinsics (account, nonce) where state = 'final'`

const allKeyKinds = `
alter table signer.keys drop constraint keys_kind_check;
alter table signer.keys add constraint keys_kind_check
  check (kind in ('Ed25519', 'X25519', 'BabyJubJub', 'Bls12381G2', 'Secp256k1', 'Sr25519'))`

const keyedKinds = `
alter table signer.keys drop constraint keys_kind_check;
alter table signer.keys add constraint keys_kind_check
  check (kind in ('Ed25519', 'X25519', 'BabyJubJub', 'Bls12381G2', 'Secp256k1', 'Sr25519', 'Bls12381G2Plus2022', 'BBDT16'))`

const accumulatorKind = `
alter table signer.keys drop constraint keys_kind_check;
alter table signer.keys add constraint keys_kind_check
  check (kind in ('Ed25519', 'X25519', 'BabyJubJub', 'Bls12381G2', 'Secp256k1', 'Sr25519', 'Bls12381G2Plus2022', 'BBDT16',
    'VbAccumulator'))`

const holder = `
create table signer.holder (
  only_one boolean primary key default true check (only_one),
  name text not null,
  hold_ms int not null,
  seen_at timestamptz not null
)`

const queuedOfDid = `create index actions_queued_of_did on signer.actions (did, sequence) where state = 'queued'`

const share = `
alter table signer.actions add column share text, add column size int not null default 1000;
update signer.actions set size = octet_length(content::text) / 2 where state = 'queued';
create index actions_queued_of_share on signer.actions (coalesce(share, did), ordinal) where state = 'queued'`

const trace = `alter table signer.actions add column trace text`

const retiredKeys = `alter table signer.keys add column retired_at timestamptz`

const firstTables = `
create table signer.data_keys (
  id text primary key,
  wrapped bytea not null,
  master_key_id text not null
);
create table signer.keys (
  key_ref text primary key,
  handle text not null,
  position int not null,
  kind text not null check (kind in ('Ed25519', 'Bls12381G2', 'X25519')),
  public_key bytea not null,
  sealed bytea,
  data_key_id text not null references signer.data_keys,
  is_bound boolean not null default false,
  created_at timestamptz not null,
  destroyed_at timestamptz,
  unique (handle, position),
  check ((sealed is null) = (destroyed_at is not null))
);
create index keys_unbound on signer.keys (created_at) where not is_bound;
create table signer.fee_accounts (
  only_one boolean primary key default true check (only_one),
  address text not null unique,
  public_key bytea not null,
  sealed bytea not null,
  data_key_id text not null references signer.data_keys
);
create table signer.extrinsics (
  id bigint generated always as identity primary key,
  hash bytea not null unique,
  account text not null,
  nonce int not null,
  bytes bytea,
  spec_version int not null,
  dies_at bigint not null,
  state text not null default 'pending' check (state in ('pending', 'final', 'dead')),
  created_at timestamptz not null,
  check ((bytes is null) = (state <> 'pending'))
);
create unique index extrinsics_pending on signer.extrinsics (account, nonce) where state = 'pending';
create table signer.actions (
  id text primary key,
  ordinal bigint generated always as identity,
  did text not null,
  sequence bigint not null,
  content jsonb not null,
  content_hash bytea not null,
  state text not null default 'queued'
    check (state in ('queued', 'signed', 'submitted', 'included', 'final', 'refused')),
  nonce bigint,
  call_hash bytea,
  valid_until bigint,
  transaction_version int,
  encoded_tx bytea,
  extrinsic_id bigint references signer.extrinsics,
  position int,
  is_solo boolean not null default false,
  outcome jsonb,
  updated_at timestamptz not null,
  unique (did, sequence),
  check ((outcome is not null) = (state in ('included', 'final', 'refused'))),
  check (state not in ('submitted', 'included') or extrinsic_id is not null)
);
create index actions_queued on signer.actions (ordinal) where state = 'queued';
create index actions_in_flight on signer.actions (did, sequence) where state in ('signed', 'submitted', 'included');
create index actions_by_extrinsic on signer.actions (extrinsic_id) where extrinsic_id is not null;
create unique index actions_one_creation on signer.actions (did) where content->>'kind' = 'create';
create table signer.ledger (
  only_one boolean primary key default true check (only_one),
  genesis_hash bytea not null,
  height bigint not null,
  hash bytea not null
);
create table signer.lease (
  only_one boolean primary key default true check (only_one),
  epoch bigint not null
);
insert into signer.lease (epoch) values (0);
create table signer.audit (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  capability text not null,
  operation text not null,
  subjects text[] not null,
  outcome text not null
);
create index audit_at on signer.audit (at)`
