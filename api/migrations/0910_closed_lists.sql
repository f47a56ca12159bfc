-- Registries that give no more places: those of a database that was restored from a copy. Credentials that were issued
-- after the copy have places that it does not know, and a place is given once.
alter table service.revocation_registries add column closed boolean not null default false;
