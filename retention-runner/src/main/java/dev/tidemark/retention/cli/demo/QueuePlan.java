package dev.tidemark.retention.cli.demo;

import dev.tidemark.retention.sql.StatusGateway.Windows;
import java.util.List;

/**
 * A queue of the demo.
 *
 * @param slowBatch how many messages of each partition the slow group reads when it wakes up; 0 =
 *     it does not read this queue
 */
record QueuePlan(String name, Windows windows, List<String> partitions, int slowBatch) {}
