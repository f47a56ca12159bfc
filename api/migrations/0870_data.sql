-- A team's own data: its notifications, the transactions of its plan, the subjects that sign-up asked about.

-- The plans of a live deployment, as its configuration has them; none in a sandbox. No limit: null.
create table service.plans (
  name text primary key,
  transactions bigint check (transactions >= 0),
  is_default boolean not null
);
select service.system_only('plans');
create unique index plans_default on service.plans (is_default) where is_default;

alter table service.teams
  -- null, or the name of none that the configuration has: the default one. A sub-account is under the plan of its parent.
  add column plan text,
  -- The limit that the parent of a sub-account sets.
  add column monthly_limit bigint check (monthly_limit >= 0);

-- Each transaction of a plan: a credential issued, a verification answered, a ledger action final.
create table service.billed_transactions (
  id bigint generated always as identity primary key,
  team_id bigint not null references service.teams on delete cascade,
  -- Absent once the parent is gone.
  parent_id bigint references service.teams on delete set null,
  at timestamptz not null,
  kind text not null check (kind in ('credential', 'verification', 'ledgerAction')),
  actor text not null,
  request_id text
);
call service.protect('billed_transactions');
create policy team_or_parent on service.billed_transactions for select using (
  team_id = any((select service.current_teams())::bigint[]) or parent_id = any((select service.current_teams())::bigint[]));
create index billed_transactions_team on service.billed_transactions (team_id, id);
create index billed_transactions_parent on service.billed_transactions (parent_id, id) where parent_id is not null;

-- Their numbers by day (UTC): a row for each commit, which a sweep folds into one a day. The sum is the count, always.
create table service.billed_counts (
  team_id bigint not null,
  -- The team that pays: the parent of a sub-account.
  payer_id bigint not null,
  day date not null,
  kind text not null,
  count bigint not null,
  is_folded boolean not null default false
);
call service.protect('billed_counts');
create policy team_or_payer on service.billed_counts for select using (
  team_id = any((select service.current_teams())::bigint[]) or payer_id = any((select service.current_teams())::bigint[]));
create index billed_counts_payer on service.billed_counts (payer_id, day);
create index billed_counts_team on service.billed_counts (team_id, day);
create index billed_counts_to_fold on service.billed_counts (day) where not is_folded;

-- A team reads the prices that it set, for its export.
create policy team_reads on service.verifier_prices for select using (team_id = any((select service.current_teams())::bigint[]));

-- One that ends twice, since what it brought could not be applied at first, is counted once.
alter table service.ledger_actions add column is_billed boolean not null default false;

-- Actions on their way have a place in the plan already.
create index ledger_actions_on_their_way on service.ledger_actions (team_id)
  where state in ('planned', 'pending', 'accepted', 'included');

create table service.notifications (
  id bigint generated always as identity primary key,
  team_id bigint not null references service.teams on delete cascade,
  type text not null,
  data jsonb not null,
  created timestamptz not null default now(),
  -- Those who read it: a person as user:7, the team itself as team.
  read_by text[] not null default '{}'
);
select service.owned('notifications');
create index notifications_team on service.notifications (team_id, id);
create index notifications_old on service.notifications (created);

create table service.onboarding (
  user_id bigint primary key references service.users on delete cascade,
  data jsonb not null,
  updated timestamptz not null
);
select service.system_only('onboarding');

-- The end of the key that its team was told of.
alter table service.api_keys add column told_end timestamptz;
create index api_keys_ending on service.api_keys (expires) where revoked is null;

-- The numbers of a team and month that count for a limit: what is final, and what is on its way.
create function service.used_in_month(payer bigint, of_team bigint, moment timestamptz, out final bigint, out on_its_way bigint)
language plpgsql stable as $$
declare
  first date := date_trunc('month', moment at time zone 'UTC');
begin
  select coalesce(sum(c.count), 0) into final from service.billed_counts c
    where c.payer_id = payer and c.day >= first and c.day < first + interval '1 month' and (of_team is null or c.team_id = of_team);
  select count(*) into on_its_way from service.ledger_actions a
    where a.state in ('planned', 'pending', 'accepted', 'included')
      and a.team_id in (select t.id from service.teams t
        where (t.id = payer or t.parent_id = payer) and (of_team is null or t.id = of_team))
      -- What one action carries takes one place.
      and not (a.state = 'planned' and exists (select from service.ledger_actions c
        where c.team_id = a.team_id and c.state in ('pending', 'accepted', 'included') and c.answers @> array[a.id]));
end $$;

-- Tells a team when four fifths of its limit are used, and when all of it is.
create function service.tell_of_limit(team bigint, used_before bigint, used_now bigint, most bigint, moment timestamptz)
returns void language sql as $$
  insert into service.notifications (team_id, type, data, created)
    select team, r.type, jsonb_build_object('limit', most, 'used', used_now, 'month', to_char(moment at time zone 'UTC', 'YYYY-MM')), moment
    from (values ('plan_limit_near', ceil(most * 0.8)), ('plan_limit_reached', most)) as r (type, from_count)
    where used_before < r.from_count and used_now >= r.from_count and (r.type <> 'plan_limit_near' or used_now < most)
$$;

-- Takes places in the plan of a team, and fails where it has not so many left. Those who come at the same time wait for
-- each other, to the end of their transactions: the last place is given once. Ledger actions that the transaction has put
-- on their way count already.
create function service.take_places(payer bigint, team bigint, places bigint, moment timestamptz, are_checked boolean)
returns void language plpgsql as $$
declare
  one record;
  used record;
begin
  for one in
    select null::bigint as of_team, p.transactions as most from service.teams t join service.plans p
      on p.name = coalesce((select n.name from service.plans n where n.name = t.plan), (select d.name from service.plans d where d.is_default))
      where t.id = payer and p.transactions is not null
    union all
    select t.id, t.monthly_limit from service.teams t
      where t.id = team and t.id <> payer and t.monthly_limit is not null and exists (select from service.plans)
  loop
    perform pg_advisory_xact_lock(hashtextextended('service.billed_counts ' || payer, 0));
    select * into used from service.used_in_month(payer, one.of_team, moment);
    if are_checked and used.final + used.on_its_way + places > one.most then
      raise exception 'The % % transactions a month: % are used, and % on their way',
        case when one.of_team is null then 'plan includes' else 'sub-account may make' end, one.most, used.final, used.on_its_way
        using errcode = 'AC402';
    end if;
    if places > 0 then
      perform service.tell_of_limit(coalesce(one.of_team, payer), used.final, used.final + places, one.most, moment);
    end if;
  end loop;
end $$;

-- Counts transactions, in the transaction of the things themselves: [{ team, kind, actor, request }]. The things of kind
-- reserve are ledger actions that it has put on their way, and are counted when they are final.
create function service.bill(moment timestamptz, entries jsonb) returns void
language plpgsql security definer set search_path = service, pg_temp as $$
declare
  scope text := current_setting('accredit.scope', true);
  one record;
begin
  perform set_config('accredit.scope', 'system', true);
  for one in
    select coalesce(t.parent_id, t.id) as payer, t.id as team, count(*) filter (where e.kind <> 'reserve') as places,
      bool_or(e.kind <> 'ledgerAction') as are_checked
    from jsonb_to_recordset(entries) as e (team bigint, kind text) join service.teams t on t.id = e.team
    group by t.id order by 1, 2
  loop
    perform service.take_places(one.payer, one.team, one.places, moment, one.are_checked);
    insert into service.billed_transactions (team_id, parent_id, at, kind, actor, request_id)
      select one.team, nullif(one.payer, one.team), moment, e.kind, e.actor, e.request
      from jsonb_to_recordset(entries) as e (team bigint, kind text, actor text, request text)
      where e.team = one.team and e.kind <> 'reserve';
    insert into service.billed_counts (team_id, payer_id, day, kind, count)
      select one.team, one.payer, (moment at time zone 'UTC')::date, e.kind, count(*)
      from jsonb_to_recordset(entries) as e (team bigint, kind text)
      where e.team = one.team and e.kind <> 'reserve' group by e.kind;
  end loop;
  perform set_config('accredit.scope', coalesce(scope, ''), true);
end $$;
