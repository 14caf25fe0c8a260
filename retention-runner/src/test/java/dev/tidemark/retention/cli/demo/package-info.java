/** Tests of the demo's parts that need no database. */
@NullMarked
package dev.tidemark.retention.cli.demo;

import org.jspecify.annotations.NullMarked;
