/**
 * {@code retention bench}: what deleting costs, each time as a ratio of two things measured in
 * alternation on one server, so that the machine's speed falls out.
 *
 * <pre>
 *   Rows            which rows there are, how large each is   -&gt; one class a row: WideRow, DeepRow, ...
 *   Row             measures and answers RowResults: a ratio, its target, the numbers behind it
 *   Rounds          the alternation: a warm-up round, then rounds whose order turns
 *   Bench           what a row is given: the server, the rounds, who hears of progress
 *   BenchServer     an embedded PostgreSQL that takes durability seriously; BenchDatabase: one of its databases
 *   Cycles          the runner, from outside: RetentionService on a pool, runOnce
 *   BenchReport     everything measured; BenchTable and BenchDocument print it, chart draws it, ReportPage keeps it
 * </pre>
 *
 * <p>The SQL lies in resource files beside this package, one thing a file. Here alone may a
 * statement of the command's own delete from the log: a bare DELETE, the retired sweep and the step
 * as it first landed are what retention is measured against, and a measure must not change when
 * what it measures does.
 */
@NullMarked
package dev.tidemark.retention.cli.bench;

import org.jspecify.annotations.NullMarked;
