package io.github.stablecut.examples.bench.wire;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The resident memory of this process, as Linux counts it. */
final class LoadedPages {
  private static final Path STATUS = Path.of("/proc/self/status");
  private static final int KIBIBYTE = 1 << 10;

  private LoadedPages() {}

  /** The resident set in bytes; 0 on other systems than Linux. */
  static long bytes() throws IOException {
    if (!Files.isReadable(STATUS)) {
      return 0;
    }
    return Files.readAllLines(STATUS).stream()
        .filter(line -> line.startsWith("VmRSS:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) * KIBIBYTE)
        .findFirst()
        .orElse(0);
  }
}
