package io.github.stablecut.checkpoint;

import java.util.List;

/**
 * A checkpoint store at one moment. Immutable.
 *
 * @param manifest what it consists of
 * @param entries the number of entries of each run, oldest first
 * @param heldFiles the number of files that are not part of it any more, and wait for readers to
 *     leave them
 * @param problems what was wrong when it was opened, and was passed over without a loss
 */
public record CheckpointStatus(
    Manifest manifest, List<Long> entries, int heldFiles, List<String> problems) {
  /** Copies. */
  public CheckpointStatus {
    entries = List.copyOf(entries);
    problems = List.copyOf(problems);
  }

  /** The bytes of all runs and history files. */
  public long bytes() {
    return manifest.files().stream().mapToLong(ManifestFile::bytes).sum();
  }
}
