package dev.tidemark.retention.it.suite;

import net.jqwik.api.lifecycle.AroundPropertyHook;
import net.jqwik.api.lifecycle.PropertyExecutionResult;
import net.jqwik.api.lifecycle.PropertyExecutor;
import net.jqwik.api.lifecycle.PropertyLifecycleContext;

/** Gives a {@link Law} its tries and its seed. */
public final class LawHook implements AroundPropertyHook {
  @Override
  public PropertyExecutionResult aroundProperty(
      PropertyLifecycleContext context, PropertyExecutor property) {
    context
        .findAnnotation(Law.class)
        .ifPresent(law -> context.attributes().setTries(Depth.of(law.tries(), law.atLength())));
    String name = context.containerClass().getSimpleName() + "." + context.targetMethod().getName();
    context.attributes().setSeed(Long.toString(Seed.of(name)));
    PropertyExecutionResult result = property.execute();
    return result.throwable().map(broken -> result.mapToFailed(withSeed(broken))).orElse(result);
  }

  private static AssertionError withSeed(Throwable broken) {
    return new AssertionError(
        broken.getMessage()
            + "\nRepeat with -D"
            + Seed.PROPERTY
            + "="
            + Seed.current()
            + " and depth "
            + Depth.current(),
        broken);
  }
}
