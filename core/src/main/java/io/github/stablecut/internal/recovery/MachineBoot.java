package io.github.stablecut.internal.recovery;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/** Identifies the current boot of the machine. */
final class MachineBoot {
  private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

  private static final String CURRENT = read(BOOT_ID);

  private MachineBoot() {}

  /**
   * An id that all processes share since the machine booted, unique to that boot. If the operating
   * system provides none, each process gets its own id, as if it were the first of a boot.
   */
  static String current() {
    return CURRENT;
  }

  static String read(Path file) {
    try {
      String id = Files.readString(file, US_ASCII).strip();
      if (id.matches("[0-9a-f-]{36}")) {
        return id;
      }
    } catch (IOException | SecurityException e) {
      // Not Linux, or the file is hidden.
    }
    return "unknown-" + UUID.randomUUID();
  }
}
