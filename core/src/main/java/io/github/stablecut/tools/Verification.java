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
 * Verifies a closed store, and changes nothing. Confined to one thread.
 *
 * <p>Every verification checks:
 *
 * <ul>
 *   <li>the checksums of the store's identity, of every frame of the journal, of the manifest, and
 *       of every byte of runs and history files;
 *   <li>that each partition belongs to the store, is in its place, and is not older than the
 *       others;
 *   <li>that journal frames follow each other without a gap, and commits are in the order of their
 *       times;
 *   <li>that every record, and the order of entries, index and fences of a run, are well-formed.
 * </ul>
 *
 * <p>With {@link Depth#FULL}, it also checks:
 *
 * <ul>
 *   <li>that every effect and state can be decoded;
 *   <li>that each checkpoint equals the oldest one plus the journal's effects, as far back as the
 *       journal reaches;
 *   <li>that the newest checkpoint has exactly the pages that its large objects need;
 *   <li>that history files refer to all effects that they should.
 * </ul>
 */
public final class Verification {
  /** The depth of a verification. */
  public enum Depth {
    /** Checksums and order. */
    SUMS,
    /**
     * Content as well. Takes time proportional to the length of the journal, and up to about 200
     * MiB of memory.
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
   * Verifies the store in a directory.
   *
   * @throws io.github.stablecut.error.NotAStoreException if there is no store
   * @throws io.github.stablecut.error.StoreInUseException if a process has it open
   * @throws io.github.stablecut.error.StoreIoException if the store cannot be read
   */
  public static VerificationReport run(Path directory, Depth depth, ToolProgress progress) {
    try (ClosedStore store = ClosedStore.open(directory)) {
      return new Verification(store, depth, progress).run();
    }
  }

  private VerificationReport run() {
    Optional<StoreIdentity> identity = tryRead(store::identity);
    List<Integer> partitions =
        identity.flatMap(known -> tryRead(store::partitions)).orElseGet(store::foundPartitions);
    for (int partition : partitions) {
      identity.ifPresent(known -> recordDamage(() -> store.checkPartition(known, partition)));
      recordDamage(() -> check(ClosedPartition.of(store, partition)));
    }
    return findings.report(
        new VerificationReport.Coverage(
            segments, records, effects, checkpointFiles, entries, compared));
  }

  private <T> Optional<T> tryRead(Supplier<T> read) {
    try {
      return Optional.of(read.get());
    } catch (DamageException e) {
      findings.add(e);
      return Optional.empty();
    }
  }

  private void recordDamage(Runnable check) {
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
      files.readJournal(journal, findings, progress, "reading the journal");
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
