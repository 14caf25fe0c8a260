package dev.tidemark.retention.cli;

import java.time.Duration;

/**
 * What a command needs of its pool.
 *
 * @param connections the most it uses at once
 * @param readTimeout how long a socket may stay silent before the server counts as gone; zero = for
 *     ever
 */
record PoolShape(int connections, Duration readTimeout) {}
