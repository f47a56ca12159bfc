-- One index finds the names of a DID, in a registry and in all of them. Parts of a job are found by their number: the
-- thousands of others that still wait are not read after each block.
drop index service.participant_names_shown;
drop index service.participant_names_did;
drop index service.participant_names_job;
create index participant_names_shown on service.participant_names (did, registry_id, from_time) where state = 'active';
create index participant_names_job on service.participant_names (job_id, part) where state = 'pending';
