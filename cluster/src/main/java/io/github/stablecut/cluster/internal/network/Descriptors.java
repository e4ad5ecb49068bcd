package io.github.stablecut.cluster.internal.network;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** How many files and sockets this process may have open. */
public final class Descriptors {
  /** What is kept for files: a quarter of all, and so many at least. */
  private static final long MIN_RESERVED = 128;

  private Descriptors() {}

  /**
   * How many connections there may be so that journals, checkpoints and other nodes get
   * descriptors, too.
   *
   * @param wanted what the settings allow
   * @return as many, or fewer; 1 at least
   */
  public static int connections(int wanted) {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
        ? connections(wanted, unix.getMaxFileDescriptorCount(), unix.getOpenFileDescriptorCount())
        : wanted;
  }

  static int connections(int wanted, long max, long open) {
    long reserved = Math.max(MIN_RESERVED, max / 4) + HttpServer.MAX_CONNECTIONS + open;
    return (int) Math.max(1, Math.min(wanted, max - reserved));
  }
}
