package io.github.stablecut.checkpoint;

import io.github.stablecut.causality.VectorClock;

/**
 * A manifest's entry for a run or a history file. Immutable.
 *
 * @param name its name in the directory
 * @param at the vector K of the checkpoint that it belongs to
 * @param bytes its length
 * @param checksum the checksum of its footer, so that no other file can be mistaken for it
 */
public record ManifestFile(String name, VectorClock at, long bytes, int checksum) {
  /** Checks the name and the length. */
  public ManifestFile {
    if (CheckpointFiles.fileNumber(name).isEmpty() || bytes <= 0) {
      throw new IllegalArgumentException(
          "not a run or history file: " + name + " of " + bytes + " bytes");
    }
  }
}
