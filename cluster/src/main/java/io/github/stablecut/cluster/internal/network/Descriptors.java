package io.github.stablecut.cluster.internal.network;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** Divides the process's file descriptors between connections and files. */
public final class Descriptors {
  /** Descriptors reserved for files: a quarter of all, but at least this many. */
  private static final long MIN_RESERVED = 128;

  private Descriptors() {}

  /**
   * Returns the maximum number of connections that leaves descriptors for journals, checkpoints and
   * other nodes.
   *
   * @param requested the maximum in the settings
   * @return that or fewer; at least 1
   */
  public static int connections(int requested) {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
        ? connections(
            requested, unix.getMaxFileDescriptorCount(), unix.getOpenFileDescriptorCount())
        : requested;
  }

  static int connections(int requested, long max, long open) {
    long reserved = Math.max(MIN_RESERVED, max / 4) + HttpServer.MAX_CONNECTIONS + open;
    return (int) Math.max(1, Math.min(requested, max - reserved));
  }
}
