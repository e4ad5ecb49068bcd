package io.github.stablecut.checkpoint.internal;

import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.crdt.Bytes;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Optional;

/**
 * Reads the entries of a run with ids in a range, from the last to the first. It reads the entries
 * between two fences forwards and returns them backwards: about {@link RunFormat#FENCE_SPACING}
 * bytes are in memory. Confined to one thread.
 */
final class DescendingRunCursor implements EntryCursor {
  private final RunFile run;
  private final IdRange range;

  /** The entries between two fences, the next one last. */
  private final Deque<byte[]> block = new ArrayDeque<>();

  /** The fence at which the next block begins; negative for the block before the first fence. */
  private long fence;

  /** The upper bound of the next block's ids, exclusive; empty if there is none. */
  private Optional<Bytes> until;

  private byte[] entry = new byte[0];

  DescendingRunCursor(RunFile run, IdRange range) {
    this.run = run;
    this.range = range;
    this.until = range.until();
    this.fence =
        until.map(end -> run.tables().fencesBelow(end.toArray())).orElse(run.footer().fences()) - 1;
  }

  @Override
  public boolean advance() {
    while (block.isEmpty()) {
      if (fence < -1 || until.filter(end -> end.compareTo(range.from()) <= 0).isPresent()) {
        return false;
      }
      readBlock();
    }
    entry = block.removeLast();
    return true;
  }

  private void readBlock() {
    Bytes low = fence < 0 ? range.from() : max(range.from(), fenceId());
    RunCursor forwards =
        new RunCursor(
            run, until.map(end -> IdRange.between(low, end)).orElseGet(() -> IdRange.from(low)));
    while (forwards.advance()) {
      block.addLast(forwards.entry());
    }
    until = Optional.of(low);
    fence--;
  }

  private Bytes fenceId() {
    byte[] bytes = run.tables().fence(fence);
    return Bytes.wrap(Arrays.copyOfRange(bytes, RunFormat.FENCE_HEAD_BYTES, bytes.length));
  }

  private static Bytes max(Bytes one, Bytes other) {
    return one.compareTo(other) >= 0 ? one : other;
  }

  @Override
  public byte[] entry() {
    return entry;
  }
}
