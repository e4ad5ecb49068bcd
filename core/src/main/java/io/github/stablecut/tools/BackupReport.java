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
 * What a backup has, and whether it is as it was written. Immutable.
 *
 * @param storeId the store that was backed up
 * @param made when, by the machine's clock
 * @param partitions of the store
 * @param files how many the backup has
 * @param bytes of all files
 * @param damages one sentence for each file that is damaged or missing; empty if the backup can be
 *     restored
 */
public record BackupReport(
    long storeId, Instant made, int partitions, int files, long bytes, List<String> damages) {
  /** Copies. */
  public BackupReport {
    damages = List.copyOf(damages);
  }

  /**
   * Reads all files of a backup ({@link io.github.stablecut.Store#backup(Path)}), and compares them
   * with their hashes, as {@link io.github.stablecut.Stablecut#restore(Path, Path)} does before it
   * uses them. Changes nothing.
   *
   * @throws BackupRefusedException if there is no finished backup
   * @throws CorruptStoreException if its list of files is damaged
   */
  public static BackupReport of(Path backup, BackupProgress progress) {
    BackupReader.Checked found =
        BackupReader.check(
            Objects.requireNonNull(backup, "backup"), Objects.requireNonNull(progress, "progress"));
    return new BackupReport(
        found.storeId(),
        found.made(),
        found.partitions(),
        found.files(),
        found.bytes(),
        found.damages());
  }

  /** Whether all files are as they were written. */
  public boolean isWell() {
    return damages.isEmpty();
  }
}
