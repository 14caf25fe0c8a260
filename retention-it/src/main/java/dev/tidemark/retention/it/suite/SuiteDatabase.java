package dev.tidemark.retention.it.suite;

import dev.tidemark.retention.core.database.DatabaseException;
import dev.tidemark.retention.it.support.DatabaseUrl;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.SqlFailure;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.runner.SchemaCheck;
import dev.tidemark.retention.runner.SchemaMismatchException;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A copy of somebody's database, for the laws to work in: they delete data and switch triggers and
 * row security off and on, and may be interrupted. The copy has everything that was deployed, the
 * settings of the database among it, and no queue. It goes with the run; what a run that was killed
 * has left goes with the next one.
 */
final class SuiteDatabase implements AutoCloseable {
  private static final String APPLICATION = "tidemark-suite";
  private static final String COPY = "tidemark_suite_";

  /** Copies whose suite is not connected any more. */
  private static final String LEFT =
      """
      select format('drop database %I with (force)', d.datname)
        from pg_database d
       where starts_with(d.datname, ?)
         and not exists (
             select 1 from pg_stat_activity a where a.application_name = ? and d.datname = ? || a.pid)
      """;

  /** A list is stored with its quotes, everything else is one value. */
  private static final String SETTINGS =
      """
      select format('alter database %s set %%I = %%s', x.name, case when x.name = 'search_path' then x.value else quote_literal(x.value) end)
        from (select split_part(c, '=', 1) as name, substr(c, strpos(c, '=') + 1) as value
                from pg_db_role_setting s
                join pg_database d on d.oid = s.setdatabase and d.datname = ?
               cross join lateral unnest(s.setconfig) c
               where s.setrole = 0) x
      """;

  private final Sql admin;
  private final String name;
  private final String url;
  private final Thread interrupted;

  private SuiteDatabase(Sql admin, String name, String url, Thread interrupted) {
    this.admin = admin;
    this.name = name;
    this.url = url;
    this.interrupted = interrupted;
  }

  /**
   * Copies it. Nobody else may be connected to it for that moment.
   *
   * @param lent {@code jdbc:postgresql://HOST:PORT/DATABASE}, with what the login needs
   * @throws UnfitDatabaseException what is wrong with it, in one line
   */
  static SuiteDatabase copyOf(String lent) {
    try {
      String database = requireFit(lent);
      Sql admin = Sql.connect(at(lent, "postgres"));
      try {
        return copy(admin, lent, database);
      } catch (RuntimeException e) {
        admin.close();
        throw e;
      }
    } catch (SqlFailure | SchemaMismatchException | DatabaseException e) {
      throw new UnfitDatabaseException(firstLine(e), e);
    }
  }

  /** The name of the database. */
  private static String requireFit(String lent) {
    try (Sql session = Sql.connect(lent)) {
      if (!session.<Boolean>value("select rolsuper from pg_roles where rolname = current_user")) {
        throw new UnfitDatabaseException(
            "role "
                + session.value("select current_user")
                + " is no superuser: the laws copy the database, switch triggers off and change roles");
      }
      require(session, "default_transaction_isolation", "read committed");
      require(session, "default_transaction_read_only", "off");
      PGSimpleDataSource source = new PGSimpleDataSource();
      source.setUrl(lent);
      SchemaCheck.requireKnown(source);
      return session.value("select current_database()::text");
    }
  }

  private static void require(Sql session, String setting, String value) {
    String is = session.value("select current_setting(?)", setting);
    if (!is.equals(value)) {
      throw new UnfitDatabaseException(
          setting + " is " + is + " there: the laws' own sessions need " + value);
    }
  }

  private static SuiteDatabase copy(Sql admin, String lent, String database) {
    admin.run("set application_name = '" + APPLICATION + "'");
    admin.column(LEFT, COPY, APPLICATION, COPY).forEach(drop -> admin.run(String.valueOf(drop)));
    String name = COPY + admin.backend();
    Thread interrupted =
        new Thread(
            () -> {
              try (Sql again = Sql.connect(at(lent, "postgres"))) {
                again.run(drop(name));
              }
            });
    Runtime.getRuntime().addShutdownHook(interrupted);
    admin.run(
        admin.<String>value(
            "select format('create database " + name + " template %I', ?::text)", database));
    admin.column(SETTINGS.formatted(name), database).forEach(set -> admin.run(String.valueOf(set)));
    TestDatabase.forget(at(lent, name));
    return new SuiteDatabase(admin, name, at(lent, name), interrupted);
  }

  private static String drop(String copy) {
    return "drop database if exists " + copy + " with (force)";
  }

  String url() {
    return url;
  }

  private static String at(String url, String database) {
    return DatabaseUrl.of(url).with(database).toString();
  }

  private static String firstLine(Exception e) {
    return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
  }

  @Override
  public void close() {
    admin.run(drop(name));
    admin.close();
    Runtime.getRuntime().removeShutdownHook(interrupted);
  }
}
