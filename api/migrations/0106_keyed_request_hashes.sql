-- Bodies may hold passwords, and a plain hash of one can be guessed at: what a retry is compared by is now an HMAC under a key
-- derived from the caller's API key, of which the database has only a hash. The plain ones go; a retry across this upgrade is told
-- 409 idempotency_mismatch instead of being carried out twice.
alter table service.idempotency_keys rename column request_hash to request_mac;
update service.idempotency_keys set request_mac = '';
