/**
 * Programs that measure. They run when they are named, never with the tests, and assert no time:
 *
 * <pre>
 * ./mvnw -pl retention-it -am -Dit.test=HeldPartitionsBenchmark -Dtest=None
 *     -Dsurefire.failIfNoSpecifiedTests=false -Dfailsafe.failIfNoSpecifiedTests=false verify
 * </pre>
 */
@NullUnmarked
package dev.tidemark.retention.it.benchmark;

import org.jspecify.annotations.NullUnmarked;
