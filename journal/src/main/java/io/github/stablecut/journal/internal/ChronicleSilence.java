package io.github.stablecut.journal.internal;

import net.openhft.chronicle.core.Jvm;

/**
 * Keeps Chronicle from printing a banner, watching the disk on a thread of its own, and logging how
 * long things took. Warnings and errors stay.
 */
final class ChronicleSilence {
  private ChronicleSilence() {}

  /** Has to be called before any other class of Chronicle is used. */
  static void establish() {
    setDefault("chronicle.announcer.disable");
    setDefault("chronicle.disk.monitor.disable");
    setDefault("chronicle.analytics.disable");
    Jvm.disableDebugHandler();
    Jvm.disablePerfHandler();
  }

  private static void setDefault(String property) {
    if (System.getProperty(property) == null) {
      System.setProperty(property, "true");
    }
  }
}
