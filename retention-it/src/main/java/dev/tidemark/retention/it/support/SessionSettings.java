package dev.tidemark.retention.it.support;

import java.util.Map;
import java.util.TreeMap;

/** Every setting of a session, to compare with those of a new one. */
public final class SessionSettings {
  private SessionSettings() {}

  /** By name. Settings of a library are there only once a session has loaded it: not these. */
  public static Map<String, String> of(Sql session) {
    Map<String, String> settings = new TreeMap<>();
    session
        .rows("select name, setting as value from pg_settings where name not like '%.%'")
        .forEach(
            row -> settings.put(String.valueOf(row.get("name")), String.valueOf(row.get("value"))));
    return settings;
  }
}
