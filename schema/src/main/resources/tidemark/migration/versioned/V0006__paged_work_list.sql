-- The work list is read in pages now, so three functions change their parameters. The old signatures go here: a function file
-- would leave them standing beside the new ones.
drop function if exists queen.log_work_list_v1(int, int);
drop function if exists queen.log_head_can_go_v1(uuid, bigint);
drop function if exists queen.log_rules_v1();
