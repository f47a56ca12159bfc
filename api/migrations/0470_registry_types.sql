-- Which types of registries there are, the methods of revocation say: a table of the service's, not of the database.

alter table service.revocation_registries drop constraint revocation_registries_type_check;
