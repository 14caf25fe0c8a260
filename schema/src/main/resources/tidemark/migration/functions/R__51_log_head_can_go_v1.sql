-- Gone since V0006; log_heads_can_go_v1 probes many heads at once. The file stays: Flyway refuses a deployment in which a function
-- file that was applied once is missing.
drop function if exists queen.log_head_can_go_v1(uuid, bigint);
