package dev.tidemark.retention.it;

import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.table.EventTables;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** A database for the class, and before each test an empty schema {@code ev} and no policy. */
abstract class OnEventTables {
  static TestDatabase database;
  static Sql sql;
  static EventTables tables;

  private final List<Sql> others = new ArrayList<>();

  @BeforeAll
  static void open() {
    database = TestDatabase.migrated();
    sql = database.connect();
    tables = new EventTables(sql);
  }

  @AfterAll
  static void close() {
    database.close();
  }

  @BeforeEach
  void nothing() {
    tables.reset();
  }

  @AfterEach
  void nobodyHoldsAnything() {
    others.forEach(Sql::close);
  }

  /** Another session, closed after the test at the latest. */
  Sql another() {
    Sql other = Sql.connect(database.url());
    others.add(other);
    return other;
  }
}
