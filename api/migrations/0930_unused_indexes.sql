-- No statement finds rows by these: batches go with their jobs, deletions are asked for by their ids, and keys that end are
-- found by api_keys_expires.
drop index service.credential_batches_created;
drop index service.deletions_team;
drop index service.api_keys_ending;
