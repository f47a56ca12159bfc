-- A sealed value is its nonce (12 bytes), its tag (16) and its ciphertext, in every table: the tag stood last here.
update service.idempotency_keys
set sealed = substring(sealed from 1 for 12) || substring(sealed from length(sealed) - 15) || substring(sealed from 13 for length(sealed) - 28)
where sealed is not null;
update service.outgoing_events
set sealed = substring(sealed from 1 for 12) || substring(sealed from length(sealed) - 15) || substring(sealed from 13 for length(sealed) - 28);
