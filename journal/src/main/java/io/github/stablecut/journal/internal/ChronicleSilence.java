package io.github.stablecut.journal.internal;

import net.openhft.chronicle.core.Jvm;

/**
 * Keeps Chronicle from printing a banner, monitoring the disk on its own thread, logging timings,
 * and leaving files in the home directory. Warnings and errors stay, and so do settings of the
 * host.
 */
final class ChronicleSilence {
  private ChronicleSilence() {}

  /** Must be called before any other class of Chronicle is used. */
  static void establish() {
    setDefault("chronicle.announcer.disable", "true");
    setDefault("chronicle.disk.monitor.disable", "true");
    setDefault("chronicle.analytics.disable", "true");
    // JNA, through which Chronicle makes system calls, would unpack a library into the home
    // directory.
    setDefault("jna.tmpdir", System.getProperty("java.io.tmpdir"));
    Jvm.disableDebugHandler();
    Jvm.disablePerfHandler();
  }

  private static void setDefault(String property, String value) {
    if (System.getProperty(property) == null) {
      System.setProperty(property, value);
    }
  }
}
