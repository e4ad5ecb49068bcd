package io.github.stablecut.checkpoint.internal;

import io.github.stablecut.checkpoint.CheckpointVersionException;
import io.github.stablecut.checkpoint.CorruptCheckpointException;

/** Creates the exceptions for damaged files. */
final class Damage {
  private Damage() {}

  static CorruptCheckpointException of(String path, String what) {
    return new CorruptCheckpointException(
        path + ": " + what + "; restore it from a copy, or the store from a backup");
  }

  static CorruptCheckpointException at(String path, long offset, String what) {
    return of(path, "damaged at offset " + offset + ": " + what);
  }

  static CheckpointVersionException newer(String path, long version, int known) {
    return new CheckpointVersionException(
        "%s has format %d, this program reads up to %d: use a newer version"
            .formatted(path, version, known));
  }
}
