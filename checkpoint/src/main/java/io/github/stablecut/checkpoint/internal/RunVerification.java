package io.github.stablecut.checkpoint.internal;

import io.github.stablecut.checkpoint.CorruptCheckpointException;
import io.github.stablecut.checkpoint.IdRange;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Verifies a whole run: each block of the tables, each entry, the gap between them, and the
 * consistency of entries, fences, index and filter. Confined to one thread.
 */
public final class RunVerification {
  private final RunFile run;
  private final IdHash hash;

  /**
   * @param hash the hash of the run's store
   */
  public RunVerification(RunFile run, IdHash hash) {
    this.run = run;
    this.hash = hash;
  }

  /** Reports each damaged block of the tables, and the first damaged entry. */
  public void run(Consumer<CorruptCheckpointException> damage) {
    boolean areTablesRight = true;
    for (long block = 0; block < run.footer().blocks(); block++) {
      try {
        run.tables().checkBlock(block);
      } catch (CorruptCheckpointException e) {
        damage.accept(e);
        areTablesRight = false;
      }
    }
    if (areTablesRight) {
      try {
        checkEntries();
        checkOrderOfSlots();
        checkGap();
      } catch (CorruptCheckpointException e) {
        damage.accept(e);
      }
    }
  }

  private void checkEntries() {
    RunCursor cursor = new RunCursor(run, IdRange.all());
    Optional<RunFilter> filter = run.tables().filter();
    long count = 0;
    long fence = 0;
    byte[] before = new byte[0];
    long at = cursor.position();
    while (cursor.advance()) {
      byte[] entry = cursor.entry();
      byte[] id = RunFormat.id(entry);
      if (fence < run.footer().fences() && fenceOffset(fence) == at) {
        checkFence(run.tables().fence(fence++), count == 0, before, id);
      }
      checkSlot(id, at, entry.length);
      if (filter.isPresent() && !filter.get().mayHave(hash.of(id))) {
        throw Damage.at(run.path(), at, "the filter does not contain this entry");
      }
      before = id;
      at = cursor.position();
      count++;
    }
    if (count != run.footer().entries() || fence != run.footer().fences()) {
      throw Damage.of(
          run.path(),
          "it has %d entries and %d fences, but its footer states %d and %d"
              .formatted(count, fence, run.footer().entries(), run.footer().fences()));
    }
  }

  private long fenceOffset(long fence) {
    return RunFormat.fenceOffset(run.tables().fence(fence));
  }

  private void checkFence(byte[] fence, boolean isFirst, byte[] before, byte[] id) {
    boolean isAboveBefore = isFirst || RunFormat.compareFence(fence, before) > 0;
    boolean isPrefix =
        Arrays.equals(
            fence,
            RunFormat.FENCE_HEAD_BYTES,
            fence.length,
            id,
            0,
            Math.min(id.length, fence.length - RunFormat.FENCE_HEAD_BYTES));
    if (!isAboveBefore || !isPrefix) {
      throw Damage.at(
          run.path(), RunFormat.fenceOffset(fence), "the fence doesn't match this entry");
    }
  }

  private void checkSlot(byte[] id, long at, int length) {
    long idHash = hash.of(id);
    RunTables tables = run.tables();
    for (long slot = tables.firstAtOrAbove(idHash);
        slot < run.footer().entries() && tables.slotHash(slot) == idHash;
        slot++) {
      if (tables.slotLocation(slot) == RunFormat.location(at, length)) {
        return;
      }
    }
    throw Damage.at(run.path(), at, "the index does not lead to this entry");
  }

  private void checkOrderOfSlots() {
    RunTables tables = run.tables();
    for (long slot = 1; slot < run.footer().entries(); slot++) {
      if (Long.compareUnsigned(tables.slotHash(slot - 1), tables.slotHash(slot)) > 0) {
        throw Damage.at(run.path(), run.footer().indexAt(), "slot " + slot + " is out of order");
      }
    }
  }

  /**
   * Checks the zeros between the entries and the tables, which no checksum covers and no reader
   * uses.
   */
  private void checkGap() {
    long from = run.footer().entriesEnd();
    byte[] gap = run.file().get(from, (int) (run.footer().tablesAt() - from));
    for (int i = 0; i < gap.length; i++) {
      if (gap[i] != 0) {
        throw Damage.at(run.path(), from + i, "a byte after the entries is not zero");
      }
    }
  }
}
