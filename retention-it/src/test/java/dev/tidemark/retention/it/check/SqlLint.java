package dev.tidemark.retention.it.check;

import dev.tidemark.retention.it.support.Sql;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * plpgsql_check over every PL/pgSQL function and procedure, held against the list of the warnings
 * that are known and wrong.
 */
final class SqlLint {
  private static final String LIST = "/sql-check/known-warnings.txt";
  private static final String WARNINGS =
      """
      select p.proname, w.lineno, w.sqlstate, w.level, w.message, w.detail, w.context
        from pg_proc p
        join pg_language l on l.oid = p.prolang and l.lanname = 'plpgsql'
       cross join lateral plpgsql_check_function_tb(
                 funcoid => p.oid::regprocedure, fatal_errors => false, other_warnings => true, performance_warnings => true,
                 extra_warnings => true, security_warnings => true, compatibility_warnings => true) w
       where p.pronamespace = 'queen'::regnamespace
       order by p.proname, w.lineno, w.message
      """;

  private final List<Warning> warnings;

  private SqlLint(List<Warning> warnings) {
    this.warnings = warnings;
  }

  private record Warning(String function, String sqlstate, String message, String text) {}

  /** One line of the list: function, SQLSTATE, message with * for any text, and why it is wrong. */
  private record Known(String function, String sqlstate, Pattern message, String line) {
    static Known of(String line) {
      String[] part = line.split("\\s*\\|\\s*", -1);
      if (part.length != 4 || part[3].isBlank()) {
        throw new IllegalStateException(
            LIST + ": needs function | sqlstate | message | reason: " + line);
      }
      String pattern = Pattern.quote(part[2].strip()).replace("*", "\\E.*\\Q");
      return new Known(part[0].strip(), part[1].strip(), Pattern.compile(pattern), line);
    }

    boolean covers(Warning warning) {
      return function.equals(warning.function())
          && sqlstate.equals(warning.sqlstate())
          && message.matcher(warning.message()).matches();
    }
  }

  /** Checks the functions of a database. */
  static SqlLint of(Sql sql) {
    sql.run("create extension if not exists plpgsql_check");
    List<Warning> warnings = new ArrayList<>();
    for (Map<String, Object> row : sql.rows(WARNINGS)) {
      warnings.add(
          new Warning(
              (String) row.get("proname"),
              (String) row.get("sqlstate"),
              (String) row.get("message"),
              row.values().stream()
                  .filter(Objects::nonNull)
                  .map(Object::toString)
                  .reduce("", (a, b) -> a.isEmpty() ? b : a + " | " + b)));
    }
    return new SqlLint(warnings);
  }

  /** Warnings that no line of the list speaks of. */
  List<String> notListed() {
    List<Known> known = known();
    return warnings.stream()
        .filter(w -> known.stream().noneMatch(k -> k.covers(w)))
        .map(Warning::text)
        .toList();
  }

  /** Lines of the list that speak of no warning. */
  List<String> outlived() {
    return known().stream()
        .filter(k -> warnings.stream().noneMatch(k::covers))
        .map(Known::line)
        .toList();
  }

  private static List<Known> known() {
    try (InputStream list = SqlLint.class.getResourceAsStream(LIST)) {
      return new String(list.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .map(Known::of)
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
