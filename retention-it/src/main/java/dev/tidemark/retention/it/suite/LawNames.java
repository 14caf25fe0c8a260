package dev.tidemark.retention.it.suite;

import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestIdentifier;

/** What a law is called, whichever engine runs it. */
final class LawNames {
  private LawNames() {}

  static String of(TestIdentifier test) {
    TestSource source = test.getSource().orElse(null);
    if (source instanceof MethodSource method) {
      return of(method);
    }
    return source instanceof ClassSource type ? simple(type.getClassName()) : test.getDisplayName();
  }

  static String of(MethodSource method) {
    return simple(method.getClassName()) + "." + method.getMethodName();
  }

  private static String simple(String className) {
    return className.substring(className.lastIndexOf('.') + 1);
  }
}
