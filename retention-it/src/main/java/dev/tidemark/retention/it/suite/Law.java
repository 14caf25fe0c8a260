package dev.tidemark.retention.it.suite;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.AddLifecycleHook;

/**
 * A jqwik property whose number of tries follows the {@link Depth} and whose {@link Seed} is the
 * run's.
 */
@Property
@AddLifecycleHook(LawHook.class)
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Law {
  /** Tries in every build. */
  int tries();

  /** Tries at length. */
  int atLength();
}
