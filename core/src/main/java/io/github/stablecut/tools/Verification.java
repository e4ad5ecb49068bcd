package io.github.stablecut.tools;

import io.github.stablecut.checkpoint.CheckpointStore;
import io.github.stablecut.checkpoint.CheckpointView;
import io.github.stablecut.error.DamageException;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.internal.paging.PageCheck;
import io.github.stablecut.internal.recovery.ClosedStore;
import io.github.stablecut.internal.recovery.StoreIdentity;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Checks a store that nobody has open, and changes nothing. Confined to one thread.
 *
 * <p>Always: the checksums of the identity, of every frame of the journal, of the manifest, and of
 * every byte of runs and history files; that each partition is the store's own, in its place, and
 * not older than the others; that journal frames follow each other without a gap, and commits in
 * the order of their times; that every record, and the order of entries, index and fences of a run,
 * are well-formed. With {@link Depth#FULL} also: that every effect and state can be decoded, that
 * each checkpoint is what the journal makes of the oldest one, as far as the journal reaches back,
 * that the newest one has the pages that its large objects need and no others, and that history
 * files name all effects that they should.
 */
public final class Verification {
  /** How deep to look. */
  public enum Depth {
    /** Every checksum, and the order. */
    SUMS,
    /**
     * Also what the bytes mean. Takes the journal's length in time, and up to about 200 MiB of
     * memory.
     */
    FULL
  }

  private final ClosedStore store;
  private final Depth depth;
  private final ToolProgress progress;
  private final VerificationFindings findings = new VerificationFindings();
  private long segments;
  private long records;
  private long effects;
  private long checkpointFiles;
  private long entries;
  private long compared;

  private Verification(ClosedStore store, Depth depth, ToolProgress progress) {
    this.store = store;
    this.depth = depth;
    this.progress = progress;
  }

  /**
   * Checks the store in a directory.
   *
   * @throws io.github.stablecut.error.NotAStoreException if there is none
   * @throws io.github.stablecut.error.StoreInUseException if somebody has it open
   * @throws io.github.stablecut.error.StoreIoException if it can't be read
   */
  public static VerificationReport run(Path directory, Depth depth, ToolProgress progress) {
    try (ClosedStore store = ClosedStore.open(directory)) {
      return new Verification(store, depth, progress).run();
    }
  }

  private VerificationReport run() {
    Optional<StoreIdentity> identity = tryTo(store::identity);
    List<Integer> partitions =
        identity.flatMap(known -> tryTo(store::partitions)).orElseGet(store::foundPartitions);
    for (int partition : partitions) {
      identity.ifPresent(known -> find(() -> store.checkPartition(known, partition)));
      find(() -> check(ClosedPartition.of(store, partition)));
    }
    return findings.report(
        new VerificationReport.Checked(
            segments, records, effects, checkpointFiles, entries, compared));
  }

  private <T> Optional<T> tryTo(Supplier<T> read) {
    try {
      return Optional.of(read.get());
    } catch (DamageException e) {
      findings.add(e);
      return Optional.empty();
    }
  }

  private void find(Runnable check) {
    try {
      check.run();
    } catch (DamageException e) {
      findings.add(e);
    }
  }

  private void check(ClosedPartition files) {
    segments += files.segments().size();
    JournalCheck journal = new JournalCheck(files, findings, depth == Depth.FULL);
    try {
      var unused = files.readJournal(journal, findings, progress, "reading the journal");
    } catch (DamageException | StoreIoException e) {
      findings.add(e);
    }
    records += journal.records();
    effects += journal.effects();
    try (CheckpointStore checkpoints = files.openCheckpoints();
        CheckpointView view = checkpoints.view()) {
      checkpoints.status().problems().forEach(findings::add);
      checkpointFiles += view.manifest().files().size();
      entries += checkpoints.status().entries().stream().mapToLong(Long::longValue).sum();
      progress.update("reading checkpoints", 0, checkpoints.status().bytes());
      view.verify(findings::add);
      if (depth == Depth.FULL) {
        new PageCheck(view, findings::add).run();
        compare(files, view, journal.effectBytes());
      }
    }
  }

  private void compare(ClosedPartition files, CheckpointView view, long effectBytes) {
    if (findings.isEmpty()) {
      compared += new ReplayComparison(files, view, findings, progress).run(effectBytes);
    } else {
      findings.note("checkpoints were not compared with the journal, because files are damaged");
    }
  }
}
