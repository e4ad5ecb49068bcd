package io.github.stablecut.tools;

import io.github.stablecut.BackupProgress;
import io.github.stablecut.error.BackupRefusedException;
import io.github.stablecut.error.CorruptStoreException;
import io.github.stablecut.internal.backup.BackupReader;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * The contents of a backup, and whether its files are intact. Immutable.
 *
 * @param storeId the id of the store that was backed up
 * @param made when the backup was made, by the machine's clock
 * @param partitions the number of the store's partitions
 * @param files the number of files
 * @param bytes the size of all files
 * @param damages one sentence per damaged or missing file; empty if the backup can be restored
 */
public record BackupReport(
    long storeId, Instant made, int partitions, int files, long bytes, List<String> damages) {
  /** Copies the list. */
  public BackupReport {
    damages = List.copyOf(damages);
  }

  /**
   * Reads all files of a backup ({@link io.github.stablecut.Store#backup(Path)}), and compares them
   * with their hashes, as {@link io.github.stablecut.Stablecut#restore(Path, Path)} does before it
   * uses them. Changes nothing.
   *
   * @throws BackupRefusedException if there is no finished backup
   * @throws CorruptStoreException if the backup's list of files is damaged
   */
  public static BackupReport of(Path backup, BackupProgress progress) {
    BackupReader.BackupSummary checked =
        BackupReader.check(
            Objects.requireNonNull(backup, "backup"), Objects.requireNonNull(progress, "progress"));
    return new BackupReport(
        checked.storeId(),
        checked.made(),
        checked.partitions(),
        checked.files(),
        checked.bytes(),
        checked.damages());
  }

  /** Whether all files are intact. */
  public boolean isIntact() {
    return damages.isEmpty();
  }
}
