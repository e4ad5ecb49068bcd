package io.github.stablecut.examples.bench.commit;

import java.nio.file.Files;
import java.nio.file.Path;

/** The begin and the end of a round in a log of system calls ({@code strace}). */
public final class TraceMark {
  /** The name of a file that never exists; a mark is a system call that looks it up. */
  public static final String FILE = "/proc/self/task/mark-of-a-round";

  private TraceMark() {}

  /** Puts a mark into the log of a process that is traced. */
  public static void put() {
    if (Files.exists(Path.of(FILE))) {
      throw new IllegalStateException(FILE + " exists");
    }
  }
}
