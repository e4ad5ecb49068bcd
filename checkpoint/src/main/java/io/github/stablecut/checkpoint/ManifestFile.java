package io.github.stablecut.checkpoint;

import io.github.stablecut.causality.VectorClock;

/**
 * A run or a history file, as a manifest names it. Immutable.
 *
 * @param name its name in the directory
 * @param at the vector K of the checkpoint that it belongs to
 * @param bytes its length
 * @param checksum that of its footer, so that no other file can be taken for it
 */
public record ManifestFile(String name, VectorClock at, long bytes, int checksum) {
  /** Checks. */
  public ManifestFile {
    if (CheckpointFiles.fileNumber(name).isEmpty() || bytes <= 0) {
      throw new IllegalArgumentException(name + " of " + bytes + " bytes");
    }
  }
}
