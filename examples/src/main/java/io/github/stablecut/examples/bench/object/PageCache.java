package io.github.stablecut.examples.bench.object;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The kernel's page cache. */
public final class PageCache {
  private static final Path DROP = Path.of("/proc/sys/vm/drop_caches");

  private PageCache() {}

  /** Whether this process may empty the cache: on Linux, as root. */
  public static boolean canDrop() {
    return Files.isWritable(DROP);
  }

  /** Empties the cache. Mapped and dirty pages would stay, so callers must have released both. */
  public static void drop() throws IOException, InterruptedException {
    System.gc();
    new ProcessBuilder("sync").start().waitFor();
    Files.writeString(DROP, "3");
  }
}
