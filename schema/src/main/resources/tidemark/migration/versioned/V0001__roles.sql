-- The three roles every grant names. They are NOLOGIN: a DBA grants them to login roles.
-- Roles belong to the cluster, not to the database, so they may exist already, and two databases may be migrated at once.
do $$
declare
    v_role text;
begin
    foreach v_role in array array['queen_broker', 'queen_retention', 'queen_reader'] loop
        if not exists (select 1 from pg_catalog.pg_roles r where r.rolname = v_role) then
            begin
                execute pg_catalog.format('create role %I nologin', v_role);
            exception
                -- Another migration created it between the look and the create; the outcome is the wanted one.
                when duplicate_object or unique_violation then null;
            end;
        end if;
    end loop;
end
$$;

grant usage on schema queen to queen_broker, queen_retention, queen_reader;
