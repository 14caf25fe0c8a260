/**
 * The demo: traffic of every kind on one database while retention deletes behind it, a table to
 * watch, and at the end the invariants, checked.
 *
 * <pre>
 *   Scenario      which queues with which windows, who pushes what
 *   Traffic       Pusher, MultiPusher, ReplayPusher -&gt; Sender -&gt; BrokerGateway &lt;- Consumer, per group
 *   DemoRetention the cycles, beside it
 *   Ledger        what the database was told and answered: the demo's own model of the log
 *   Observer      Look, twice a second: cursors and history as the database says
 *                   -&gt; Watch, which remembers what only a witness can tell (invariants 2 and 5)
 *                   -&gt; Frame -&gt; LiveTable
 *   InvariantCheck, Summary  at the end: Ledger, Watch, tables and history have to agree
 * </pre>
 *
 * <p>It exists apart from the command so that it runs, and can be tested, on any pool: nothing here
 * knows of options or of a terminal.
 */
@NullMarked
package dev.tidemark.retention.cli.demo;

import org.jspecify.annotations.NullMarked;
