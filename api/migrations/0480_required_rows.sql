-- Fails a transaction that lacks something, before any program has seen an answer: the statements behind it are skipped.
create function service.require(is_there boolean, requirement text) returns void language plpgsql as $$
begin
  if is_there is not true then
    raise exception using errcode = 'AC001', message = requirement;
  end if;
end $$;
