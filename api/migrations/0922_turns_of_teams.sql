-- What goes by turns of teams is found by team, in its order: of a hundred thousand that wait, the next ones alone.
create index ledger_actions_pending on service.ledger_actions (team_id, created) where state = 'pending';
create index credential_mails_of_team on service.credential_mails (team_id, next_attempt);
