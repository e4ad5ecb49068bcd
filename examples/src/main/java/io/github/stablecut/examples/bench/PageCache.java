package io.github.stablecut.examples.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the kernel keeps of files in memory. */
final class PageCache {
  private static final Path DROP = Path.of("/proc/sys/vm/drop_caches");

  private PageCache() {}

  /** Whether this process may empty it: on Linux, as root. */
  static boolean canDrop() {
    return Files.isWritable(DROP);
  }

  /** Empties it. Pages that are mapped or dirty would stay, so both are ended before. */
  static void drop() throws IOException, InterruptedException {
    System.gc();
    int unused = new ProcessBuilder("sync").start().waitFor();
    Files.writeString(DROP, "3");
  }
}
