-- With it the planner looks for the mails of one team among those of all.
drop index service.credential_mails_due;
