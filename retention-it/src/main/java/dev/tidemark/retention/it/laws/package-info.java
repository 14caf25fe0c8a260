/**
 * What has to hold of every deployment, whoever broke into it and whatever ran beside it. Each
 * class opens its database with {@code Target.open()}, works in queues of its own, and needs
 * nothing of the server but a role that owns the schema. What the laws are made of is in the
 * packages beside this one.
 */
@NullUnmarked
package dev.tidemark.retention.it.laws;

import org.jspecify.annotations.NullUnmarked;
