package dev.tidemark.retention.it.fault;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;

/** Pools as a broker has them, small and impatient. */
final class Pools {
  private Pools() {}

  static HikariDataSource of(String url, int connections, Duration patience) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setMaximumPoolSize(connections);
    config.setMinimumIdle(0);
    config.setConnectionTimeout(patience.toMillis());
    return new HikariDataSource(config);
  }
}
