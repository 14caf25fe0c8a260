package dev.tidemark.retention.it.suite;

import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.SqlFailure;
import dev.tidemark.retention.runner.SchemaCheck;
import dev.tidemark.retention.runner.SchemaMismatchException;
import dev.tidemark.retention.schema.Migrations;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * The database somebody lends the suite: deployed, without queues, and one suite at a time. The
 * laws delete what is old, so one that has a queue is refused.
 */
final class SuiteDatabase implements AutoCloseable {
  /** One suite at a time in a database; on a session of the suite's own, which no pool shares. */
  private static final long LOCK = 737_100;

  private final Sql session;

  private SuiteDatabase(Sql session) {
    this.session = session;
  }

  /**
   * Takes it.
   *
   * @param url with what the login needs
   * @throws UnfitDatabaseException what is wrong with it, in one line
   */
  static SuiteDatabase take(String url) {
    try {
      SuiteDatabase database = new SuiteDatabase(Sql.connect(url));
      try {
        database.requireFit(url);
        return database;
      } catch (RuntimeException e) {
        database.close();
        throw e;
      }
    } catch (SqlFailure e) {
      throw new UnfitDatabaseException(String.valueOf(e.getMessage()), e);
    }
  }

  private void requireFit(String url) {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(url);
    try {
      SchemaCheck.requireKnown(source);
    } catch (SchemaMismatchException e) {
      throw new UnfitDatabaseException(String.valueOf(e.getMessage()), e);
    }
    if (!session.<Boolean>value("select rolsuper from pg_roles where rolname = current_user")) {
      throw new UnfitDatabaseException(
          "role "
              + session.value("select current_user")
              + " is no superuser: laws switch triggers off, end sessions and change roles");
    }
    if (!session.<Boolean>value("select pg_try_advisory_lock(?)", LOCK)) {
      throw new UnfitDatabaseException("another suite is at work in this database");
    }
    long queues = session.number("select count(*) from " + Migrations.SCHEMA + ".queues");
    if (queues > 0) {
      throw new UnfitDatabaseException(
          "the database has "
              + queues
              + " queues: the laws delete data, so give them a database without any");
    }
  }

  @Override
  public void close() {
    session.close();
  }
}
