package io.github.stablecut.tools;

import io.github.stablecut.checkpoint.CheckpointView;
import io.github.stablecut.internal.recovery.ClosedStore;
import io.github.stablecut.internal.recovery.StoreIdentity;
import io.github.stablecut.journal.ClosedJournal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Says what a closed store consists of, and changes nothing. */
public final class Inspection {
  private static final StoreDescription.Formats FORMATS =
      new StoreDescription.Formats(
          StoreIdentity.FORMAT, ClosedJournal.FORMAT, CheckpointView.FORMAT);

  private Inspection() {}

  /**
   * Looks at the store in a directory: reads its journal, and the entries of its newest checkpoint.
   *
   * @throws io.github.stablecut.error.NotAStoreException if there is none
   * @throws io.github.stablecut.error.StoreInUseException if somebody has it open
   * @throws io.github.stablecut.error.UnsupportedFormatException if a newer program wrote it
   * @throws io.github.stablecut.error.DamageException if so much is damaged that nothing can be
   *     said
   */
  public static StoreDescription of(Path directory, ToolProgress progress) {
    return of(directory, directory, new VerificationFindings(), progress);
  }

  /**
   * Looks at a store that this process has open, as it is at a moment: by hard links to its files,
   * in its directory, which are taken away again. One at a time.
   *
   * @throws io.github.stablecut.error.StoreIoException if the links can't be made
   * @throws io.github.stablecut.error.DamageException as {@link #of} does
   */
  public static StoreDescription ofOpen(Path directory, ToolProgress progress) {
    return OpenImage.read(
        directory, image -> of(image, directory, VerificationFindings.whileWritten(), progress));
  }

  /**
   * Looks at the files in a directory.
   *
   * @param named where they are said to be
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
