-- Which service key this database is used with: not the key, only what it is recognised by.
create table service.service_key (
  only_one boolean primary key default true check (only_one),
  fingerprint bytea not null
);
select service.system_only('service_key');
