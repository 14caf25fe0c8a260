package dev.tidemark.retention.cli.bench;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** What the numbers were measured on. */
final class Machine {
  private static final Path CPUS = Path.of("/proc/cpuinfo");
  private static final String MODEL = "model name";

  private Machine() {}

  /** Cores, processor, memory, system, in a line. */
  static String description() {
    String memory =
        ManagementFactory.getOperatingSystemMXBean()
                instanceof com.sun.management.OperatingSystemMXBean system
            ? String.format(Locale.ROOT, ", %.0f GB", system.getTotalMemorySize() / 1e9)
            : "";
    return Runtime.getRuntime().availableProcessors()
        + " cores"
        + model()
        + memory
        + ", "
        + System.getProperty("os.name")
        + " "
        + System.getProperty("os.arch");
  }

  private static String model() {
    try {
      return Files.readAllLines(CPUS).stream()
          .filter(line -> line.startsWith(MODEL))
          .findFirst()
          .map(line -> " of " + line.substring(line.indexOf(':') + 1).strip())
          .orElse("");
    } catch (IOException e) {
      // Only Linux says it there.
      return "";
    }
  }
}
