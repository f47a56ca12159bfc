-- A planned action waits until nothing else is on its way to what it changes (`planned_in`: a registry), since its calls are made
-- of what is there then. Its plan stays with it, for the case that somebody else is faster.
alter table service.ledger_actions
  drop constraint ledger_actions_state_check,
  add constraint ledger_actions_state_check
    check (state in ('waiting', 'planned', 'pending', 'accepted', 'included', 'done', 'refused')),
  add column planned_in text,
  add column plan jsonb,
  add constraint ledger_actions_plan_check check (state <> 'planned' or (planned_in is not null and plan is not null));
create index ledger_actions_planned on service.ledger_actions (planned_in, created)
  where planned_in is not null and state in ('planned', 'pending', 'accepted', 'included');
