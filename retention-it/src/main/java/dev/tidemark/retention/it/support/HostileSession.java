package dev.tidemark.retention.it.support;

import java.util.List;

/**
 * A session set up against the schema: built-ins that lie, put before the true ones, and settings
 * at their oddest. What a caller can stand beyond that it adds itself.
 */
public final class HostileSession {
  /** Made once a database. */
  public static final String LIES =
      """
      create schema evil;
      grant usage on schema evil to public;
      create function evil.now() returns timestamptz language sql as $$ select 'infinity'::timestamptz $$;
      create function evil.clock_timestamp() returns timestamptz language sql as $$ select '-infinity'::timestamptz $$;
      create function evil.current_setting(text) returns text language sql as $$ select 'replica' $$;
      create function evil.cardinality(anyarray) returns int language sql as $$ select 0 $$;
      create function evil.octet_length(bytea) returns int language sql as $$ select 0 $$;
      create function evil.jsonb_typeof(jsonb) returns text language sql as $$ select 'boolean' $$;
      create function evil.always(uuid, uuid) returns boolean language sql as $$ select true $$;
      create function evil.always(timestamptz, timestamptz) returns boolean language sql as $$ select true $$;
      create function evil.always(bigint, bigint) returns boolean language sql as $$ select true $$;
      create function evil.always(text, text) returns boolean language sql as $$ select true $$;
      create function evil.least(bigint, bigint) returns bigint language sql as $$ select 0::bigint $$;
      create function evil.json_text(jsonb, text) returns text language sql as $$ select '666' $$;
      create function evil.most(bigint, bigint) returns bigint language sql as $$ select 9000000000000000000 $$;
      create aggregate evil.min(bigint) (sfunc = evil.most, stype = bigint, initcond = '9000000000000000000');
      create operator evil.= (leftarg = uuid, rightarg = uuid, function = evil.always);
      create operator evil.= (leftarg = text, rightarg = text, function = evil.always);
      create operator evil.< (leftarg = timestamptz, rightarg = timestamptz, function = evil.always);
      create operator evil.>= (leftarg = timestamptz, rightarg = timestamptz, function = evil.always);
      create operator evil.< (leftarg = bigint, rightarg = bigint, function = evil.always);
      create operator evil.+ (leftarg = bigint, rightarg = bigint, function = evil.least);
      """;

  /** Each to be set; the driver insists on dates in ISO. */
  public static final List<String> SETTINGS =
      List.of(
          "search_path = evil, pg_catalog",
          "timezone = 'Asia/Kathmandu'",
          "datestyle = 'ISO, DMY'",
          "intervalstyle = 'sql_standard'",
          "row_security = off",
          "standard_conforming_strings = off",
          "escape_string_warning = off",
          "bytea_output = 'escape'",
          "transform_null_equals = on",
          "array_nulls = off",
          "quote_all_identifiers = on",
          "enable_indexscan = off",
          "plan_cache_mode = 'force_generic_plan'",
          "plpgsql.variable_conflict = 'use_variable'");

  private HostileSession() {}
}
