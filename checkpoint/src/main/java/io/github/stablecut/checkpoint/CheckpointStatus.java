package io.github.stablecut.checkpoint;

import java.util.List;

/**
 * The state of a checkpoint store at one point in time. Immutable.
 *
 * @param manifest the current manifest
 * @param entries the number of entries of each run, oldest first
 * @param heldFiles the number of obsolete files that readers still use
 * @param problems problems found at open that caused no loss
 */
public record CheckpointStatus(
    Manifest manifest, List<Long> entries, int heldFiles, List<String> problems) {
  /** Copies the lists. */
  public CheckpointStatus {
    entries = List.copyOf(entries);
    problems = List.copyOf(problems);
  }

  /** The bytes of all runs and history files. */
  public long bytes() {
    return manifest.files().stream().mapToLong(ManifestFile::bytes).sum();
  }
}
