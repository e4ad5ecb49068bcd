package io.github.stablecut.journal.internal;

import net.openhft.chronicle.core.Jvm;

/**
 * Keeps Chronicle from printing a banner, watching the disk on a thread of its own, logging how
 * long things took, and leaving files in the home directory. Warnings and errors stay, and what the
 * host has set itself.
 */
final class ChronicleSilence {
  private ChronicleSilence() {}

  /** Has to be called before any other class of Chronicle is used. */
  static void establish() {
    setDefault("chronicle.announcer.disable", "true");
    setDefault("chronicle.disk.monitor.disable", "true");
    setDefault("chronicle.analytics.disable", "true");
    // JNA, which Chronicle calls the system through, unpacks a library: not into the home
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
