package dev.tidemark.retention.it.check;

import dev.tidemark.retention.it.check.Body.Statement;
import dev.tidemark.retention.it.support.Sql;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The sum of the profiles of many databases. The profiler keeps one for each database, so each has
 * to be added before it is dropped.
 */
final class Profile {
  private static final String STATEMENTS =
      """
      select p.proname, p.prosrc, s.stmtid, coalesce(s.parent_stmtid, -1) as parent, coalesce(s.parent_note, '') as arm,
             s.block_num, s.lineno, s.stmtname, s.exec_stmts, s.exec_stmts_err
        from pg_proc p
        join pg_language l on l.oid = p.prolang and l.lanname = 'plpgsql'
       cross join lateral plpgsql_profiler_function_statements_tb(p.oid::regprocedure) s
       where p.pronamespace = to_regnamespace('queen')
       order by p.proname, s.stmtid
      """;
  // The profiler's memory is bounded and nothing in it ends with a database.
  private static final String FORGET =
      """
      select plpgsql_profiler_reset(p.oid::regprocedure)
        from pg_proc p
        join pg_language l on l.oid = p.prolang and l.lanname = 'plpgsql'
       where p.pronamespace = to_regnamespace('queen')
      """;

  private static final String CALLED =
      "select funcname from pg_stat_user_functions where schemaname = 'queen' and calls > 0";

  private final Map<String, Body> bodies = new LinkedHashMap<>();
  private final Set<String> called = new HashSet<>();

  /** Begins with the functions of this database, which are the ones to be covered. */
  Profile(String url) {
    read(url).forEach(body -> bodies.put(body.function(), body));
  }

  /** Adds what ran in this database. A function that has another text there is another function. */
  synchronized void add(String url) {
    try (Sql sql = Sql.connect(url)) {
      sql.column(CALLED).forEach(name -> called.add((String) name));
    }
    for (Body seen : read(url)) {
      bodies.computeIfPresent(
          seen.function(), (name, sum) -> sum.isSameAs(seen) ? sum(sum, seen) : sum);
    }
  }

  Collection<Body> bodies() {
    return bodies.values();
  }

  /** The functions that the server counted a call of; it does not count one that is inlined. */
  Set<String> called() {
    return called;
  }

  private static Body sum(Body a, Body b) {
    List<Statement> statements = new ArrayList<>();
    for (int i = 0; i < a.statements().size(); i++) {
      statements.add(a.statements().get(i).plus(b.statements().get(i)));
    }
    return new Body(a.function(), a.source(), statements);
  }

  private static Collection<Body> read(String url) {
    Map<String, Body> read = new LinkedHashMap<>();
    try (Sql sql = Sql.connect(url)) {
      sql.run("create extension if not exists plpgsql_check");
      for (Map<String, Object> row : sql.rows(STATEMENTS)) {
        read.computeIfAbsent(
                (String) row.get("proname"),
                name -> new Body(name, (String) row.get("prosrc"), new ArrayList<>()))
            .statements()
            .add(
                new Statement(
                    (Integer) row.get("stmtid"),
                    (Integer) row.get("parent"),
                    (String) row.get("arm"),
                    (Integer) row.get("block_num"),
                    (Integer) row.get("lineno"),
                    (String) row.get("stmtname"),
                    (Long) row.get("exec_stmts"),
                    (Long) row.get("exec_stmts_err")));
      }
      sql.rows(FORGET);
    }
    return read.values();
  }
}
