-- `offset 0`: a proof is looked up by its key. Else the planner, who supposes many claims, reads the keys of all DIDs.
create or replace function service.held_among(holder bigint, wanted text[]) returns setof text
language plpgsql as $$
begin
  return query
    with claims as materialized (select * from service.did_claims(holder, wanted))
    select c.did from claims c where c.kept
    union all
    select newest.did from (
      select distinct on (c.did) c.did, c.team_id from claims c
      where not c.kept and (c.key_id is null or c.did like 'did:key:%' or exists (
        select from ledger.did_key k where k.did = c.did and k.key_id = c.key_id and k.to_block is null offset 0))
      order by c.did, c.since desc, c.team_id) newest
    where newest.team_id = holder;
end $$;
