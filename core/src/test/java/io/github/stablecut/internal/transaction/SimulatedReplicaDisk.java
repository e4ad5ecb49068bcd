package io.github.stablecut.internal.transaction;

import io.github.stablecut.checkpoint.testing.LossyDirectory;
import io.github.stablecut.internal.partition.replicated.VoteStorage;
import io.github.stablecut.internal.transaction.ReplicatedFaults.Kind;
import io.github.stablecut.journal.Journal;
import io.github.stablecut.journal.JournalOptions;
import io.github.stablecut.journal.testing.LossySegments;
import java.util.Random;
import java.util.function.Consumer;

/**
 * The files of a simulated replica: journal, checkpoints, a checkpoint that it fetches, and its
 * vote. Confined to one thread.
 */
final class SimulatedReplicaDisk implements VoteStorage {
  private LossyDisk files;
  private LossyDirectory incoming = new LossyDirectory();
  private long promised;
  private long shortened;
  private Consumer<Kind> listener = step -> {};

  /** Whether the next write of the vote fails, before or after it is durable. */
  private boolean isFailing;

  private boolean isFailingLate;

  SimulatedReplicaDisk() {
    this(LossyDisk.empty(), 0, 0);
  }

  private SimulatedReplicaDisk(LossyDisk files, long promised, long shortened) {
    this.files = files;
    this.promised = promised;
    this.shortened = shortened;
  }

  LossyDisk files() {
    return files;
  }

  /** Tells a listener of each step, before the replica continues. */
  void listen(Consumer<Kind> newListener) {
    listener = newListener;
    listenToFiles();
  }

  private void listenToFiles() {
    files
        .journal()
        .listen(
            () -> listener.accept(Kind.CRASH_WHEN_WRITTEN),
            () -> listener.accept(Kind.CRASH_WHEN_SYNCED));
  }

  /**
   * Makes the next write of the vote fail.
   *
   * @param isLate whether the vote is durable nevertheless
   */
  void failWrite(boolean isLate) {
    isFailing = true;
    isFailingLate = isLate;
  }

  void endFaults() {
    isFailing = false;
    files.journal().failOnce(0);
    files.checkpoints().failAt(0);
    files.checkpoints().failReadOnce(0);
  }

  /** Begins to fetch a checkpoint. */
  LossyDirectory newIncoming() {
    incoming = new LossyDirectory();
    return incoming;
  }

  /** Replaces the files by the fetched checkpoint and an empty journal. */
  void install(long first, long epoch) {
    LossySegments begun = new LossySegments();
    Journal.begin(begun, JournalOptions.named("begun").withReserveBytes(0), first, epoch);
    files = new LossyDisk(begun, incoming);
    listenToFiles();
  }

  SimulatedReplicaDisk afterKill() {
    return new SimulatedReplicaDisk(files.afterKill(), promised, shortened);
  }

  SimulatedReplicaDisk afterPowerCut(Random random, double survivors) {
    return new SimulatedReplicaDisk(files.afterPowerCut(random, survivors), promised, shortened);
  }

  @Override
  public long read() {
    return promised;
  }

  @Override
  public long shortened() {
    return shortened;
  }

  @Override
  public void write(long epoch, long newShortened) {
    boolean fails = isFailing;
    isFailing = false;
    if (!fails || isFailingLate) {
      promised = epoch;
      shortened = newShortened;
    }
    if (fails) {
      throw new IllegalStateException("injected fault of the disk of votes");
    }
    listener.accept(Kind.CRASH_WHEN_VOTED);
  }
}
