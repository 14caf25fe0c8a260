package dev.tidemark.retention.cli.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;

/** Asks the server on a port whose it is: a port can be anybody's, and postmaster.pid be stale. */
final class ServerProbe {
  private ServerProbe() {}

  static String url(int port) {
    return "jdbc:postgresql://" + EmbeddedServer.HOST + ":" + port + "/postgres";
  }

  /** Fails unless the server lets us in and names the directory as its own. */
  static void verify(DataDirectory directory, PostmasterPid server)
      throws SQLException, IOException {
    Properties properties = new Properties();
    properties.setProperty("user", EmbeddedServer.USER);
    properties.setProperty("connectTimeout", "5");
    properties.setProperty("socketTimeout", "30");
    try (Connection connection = DriverManager.getConnection(url(server.port()), properties);
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("show data_directory")) {
      row.next();
      Path serves = Path.of(row.getString(1));
      if (!Files.exists(serves) || !Files.isSameFile(serves, directory.path())) {
        throw new SQLException("it serves " + serves);
      }
    }
  }

  static EmbeddedServerException unusable(
      DataDirectory directory, PostmasterPid server, Exception cause) {
    return new EmbeddedServerException(
        "PostgreSQL (pid "
            + server.pid()
            + ") runs in "
            + directory.path()
            + " but does not let "
            + EmbeddedServer.USER
            + " in on "
            + EmbeddedServer.HOST
            + ":"
            + server.port()
            + ": "
            + cause.getMessage(),
        cause);
  }
}
