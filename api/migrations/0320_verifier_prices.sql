-- What an issuer asks of one verifier, beside the price on the ledger that it asks of everybody. Rows are only added: the
-- newest one at an instant holds then; without digits, none was asked any more.
create table service.verifier_prices (
  row_id bigint generated always as identity primary key,
  registry_id text not null,
  schema_id text not null,
  issuer text not null,
  verifier text not null,
  currency text not null check (currency ~ '^[A-Z0-9]{1,10}$'),
  -- Millionths of a unit, as the ledger counts prices: a u128.
  digits numeric(39) check (digits >= 0),
  -- Who said so; null: the ledger, where issuer or verifier left the schema.
  team_id bigint,
  from_time timestamptz not null
);
select service.public_read('verifier_prices');
create index verifier_prices_place
  on service.verifier_prices (registry_id, schema_id, issuer, verifier, currency, from_time desc, row_id desc);
create index verifier_prices_schema on service.verifier_prices (schema_id);
