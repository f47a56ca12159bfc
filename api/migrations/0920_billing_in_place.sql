-- Counting costs the same however much was counted since the last folding: whoever counts under the lock of a payer adds
-- to a row that is there. Payers without a limit take no lock, and go on with a row for each commit.

drop function service.take_places(bigint, bigint, bigint, timestamptz, boolean);

-- Takes places in the plan of a team, and fails where it has not so many left. Those who come at the same time wait for
-- each other, to the end of their transactions: the last place is given once. Ledger actions that the transaction has put
-- on their way count already. Returns whether others wait.
create function service.take_places(payer bigint, team bigint, places bigint, moment timestamptz, are_checked boolean)
returns boolean language plpgsql as $$
declare
  one record;
  used record;
  are_waiting boolean := false;
begin
  for one in
    select null::bigint as of_team, p.transactions as most from service.teams t join service.plans p
      on p.name = coalesce((select n.name from service.plans n where n.name = t.plan), (select d.name from service.plans d where d.is_default))
      where t.id = payer and p.transactions is not null
    union all
    select t.id, t.monthly_limit from service.teams t
      where t.id = team and t.id <> payer and t.monthly_limit is not null and exists (select from service.plans)
  loop
    if not are_waiting then
      perform pg_advisory_xact_lock(hashtextextended('service.billed_counts ' || payer, 0));
      are_waiting := true;
    end if;
    select * into used from service.used_in_month(payer, one.of_team, moment);
    if are_checked and used.final + used.on_its_way + places > one.most then
      raise exception 'The % % transactions a month: % are used, and % on their way',
        case when one.of_team is null then 'plan includes' else 'sub-account may make' end, one.most, used.final, used.on_its_way
        using errcode = 'AC402';
    end if;
    -- Before four fifths there is nothing to tell.
    if places > 0 and used.final + places >= ceil(one.most * 0.8) then
      perform service.tell_of_limit(coalesce(one.of_team, payer), used.final, used.final + places, one.most, moment);
    end if;
  end loop;
  return are_waiting;
end $$;

create or replace function service.bill(moment timestamptz, entries jsonb) returns void
language plpgsql security definer set search_path = service, pg_temp as $$
declare
  scope text := current_setting('accredit.scope', true);
  today date := (moment at time zone 'UTC')::date;
  one record;
  counted record;
  is_alone boolean;
begin
  perform set_config('accredit.scope', 'system', true);
  for one in
    select coalesce(t.parent_id, t.id) as payer, t.id as team, count(*) filter (where e.kind <> 'reserve') as places,
      bool_or(e.kind <> 'ledgerAction') as are_checked
    from jsonb_to_recordset(entries) as e (team bigint, kind text) join service.teams t on t.id = e.team
    group by t.id order by 1, 2
  loop
    is_alone := service.take_places(one.payer, one.team, one.places, moment, one.are_checked);
    continue when one.places = 0;
    insert into service.billed_transactions (team_id, parent_id, at, kind, actor, request_id)
      select one.team, nullif(one.payer, one.team), moment, e.kind, e.actor, e.request
      from jsonb_to_recordset(entries) as e (team bigint, kind text, actor text, request text)
      where e.team = one.team and e.kind <> 'reserve';
    for counted in
      select e.kind, count(*) as count from jsonb_to_recordset(entries) as e (team bigint, kind text)
      where e.team = one.team and e.kind <> 'reserve' group by e.kind
    loop
      if is_alone then
        -- One that is folded away meanwhile is not found.
        update service.billed_counts set count = count + counted.count where ctid = (
          select c.ctid from service.billed_counts c
          where c.team_id = one.team and c.payer_id = one.payer and c.day = today and c.kind = counted.kind limit 1);
        continue when found;
      end if;
      insert into service.billed_counts (team_id, payer_id, day, kind, count)
        values (one.team, one.payer, today, counted.kind, counted.count);
    end loop;
  end loop;
  perform set_config('accredit.scope', coalesce(scope, ''), true);
end $$;
