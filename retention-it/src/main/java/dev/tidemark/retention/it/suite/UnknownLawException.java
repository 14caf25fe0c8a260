package dev.tidemark.retention.it.suite;

import java.util.List;

/** A name that is no law's. */
public final class UnknownLawException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  UnknownLawException(String name, List<String> known) {
    super("--law: '" + name + "' is no law; there are " + String.join(", ", classes(known)));
  }

  private static List<String> classes(List<String> laws) {
    return laws.stream().map(law -> law.substring(0, law.indexOf('.'))).distinct().toList();
  }
}
