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
   * The same text for all processes since the machine has started, and no other boot has it. Where
   * the operating system does not tell, each process gets another text, as if it were the first one
   * of a boot.
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
      // Not Linux, or hidden.
    }
    return "unknown-" + UUID.randomUUID();
  }
}
