package dev.tidemark.retention.it.support;

/**
 * {@code jdbc:postgresql://HOST:PORT/DATABASE?PARAMETERS} in its parts.
 *
 * @param server up to the slash before the database
 * @param parameters with the question mark; empty when there are none
 */
public record DatabaseUrl(String server, String database, String parameters) {
  public static DatabaseUrl of(String url) {
    int query = url.indexOf('?');
    String path = query < 0 ? url : url.substring(0, query);
    int slash = path.lastIndexOf('/') + 1;
    return new DatabaseUrl(
        path.substring(0, slash), path.substring(slash), query < 0 ? "" : url.substring(query));
  }

  /** Another database of the same server, for the same login. */
  public DatabaseUrl with(String otherDatabase) {
    return new DatabaseUrl(server, otherDatabase, parameters);
  }

  /** The same database for another login, without what else was asked for. */
  public DatabaseUrl as(String user, String password) {
    return new DatabaseUrl(server, database, "?user=" + user + "&password=" + password);
  }

  @Override
  public String toString() {
    return server + database + parameters;
  }
}
