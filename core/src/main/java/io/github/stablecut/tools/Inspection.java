package io.github.stablecut.tools;

import io.github.stablecut.checkpoint.CheckpointView;
import io.github.stablecut.internal.recovery.ClosedStore;
import io.github.stablecut.internal.recovery.StoreIdentity;
import io.github.stablecut.journal.ClosedJournal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Describes the contents of a store, and changes nothing. */
public final class Inspection {
  private static final StoreDescription.Formats FORMATS =
      new StoreDescription.Formats(
          StoreIdentity.FORMAT, ClosedJournal.FORMAT, CheckpointView.FORMAT);

  private Inspection() {}

  /**
   * Describes the closed store in a directory, from its journal and the entries of its newest
   * checkpoint.
   *
   * @throws io.github.stablecut.error.NotAStoreException if there is no store
   * @throws io.github.stablecut.error.StoreInUseException if a process has it open
   * @throws io.github.stablecut.error.UnsupportedFormatException if a newer version wrote it
   * @throws io.github.stablecut.error.DamageException if the store is too damaged to describe
   */
  public static StoreDescription of(Path directory, ToolProgress progress) {
    return of(directory, directory, new VerificationFindings(), progress);
  }

  /**
   * Describes a store that this process has open, as of one moment. It reads hard links to the
   * store's files, which it creates in the store's directory and deletes afterwards. Only one call
   * at a time.
   *
   * @throws io.github.stablecut.error.StoreIoException if the links cannot be created
   * @throws io.github.stablecut.error.DamageException as {@link #of} does
   */
  public static StoreDescription ofOpen(Path directory, ToolProgress progress) {
    return OpenImage.read(
        directory, image -> of(image, directory, VerificationFindings.whileWritten(), progress));
  }

  /**
   * Describes the files in a directory.
   *
   * @param named the directory named in the description
   */
  private static StoreDescription of(
      Path directory, Path named, VerificationFindings findings, ToolProgress progress) {
    try (ClosedStore store = ClosedStore.open(directory)) {
      StoreIdentity identity = store.identity();
      List<StoreDescription.Partition> partitions = new ArrayList<>();
      for (int p : store.partitions()) {
        ClosedPartition files = ClosedPartition.of(store, p);
        partitions.add(
            new PartitionInspection(
                    p, files, path -> named.resolve(directory.relativize(path)), findings, progress)
                .run());
      }
      findings.damages().forEach(findings::note);
      return new StoreDescription(
          identity.id(),
          identity.restoredFrom(),
          store.node(),
          FORMATS,
          partitions,
          findings.notes().stream()
              .map(note -> note.replace(directory.toString(), named.toString()))
              .toList());
    }
  }
}
