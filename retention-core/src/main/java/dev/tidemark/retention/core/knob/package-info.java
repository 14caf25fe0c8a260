/**
 * The knobs an operator turns: what they are called, what they may be, and their values for one
 * process.
 */
@NullMarked
package dev.tidemark.retention.core.knob;

import org.jspecify.annotations.NullMarked;
