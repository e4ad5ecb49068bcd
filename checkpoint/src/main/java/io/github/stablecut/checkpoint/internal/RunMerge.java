package io.github.stablecut.checkpoint.internal;

import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.checkpoint.MergeProgress;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.function.Consumer;

/**
 * Neighbouring runs that become one, whose checkpoint is that of the newest: of the entries of an
 * object the newest is kept. Confined to one thread.
 */
public final class RunMerge {
  private final List<RunFile> newestFirst;
  private final boolean dropsDeletions;
  private final RateLimit limit;
  private final MergeProgress progress;
  private final long inputBytes;
  private long writtenBytes;

  /**
   * @param dropsDeletions whether entries of deleted objects may go: only if there is no older run,
   *     and no transaction at or above the low watermark can want to know when they were deleted
   */
  public RunMerge(
      List<RunFile> newestFirst, boolean dropsDeletions, RateLimit limit, MergeProgress progress) {
    this.newestFirst = List.copyOf(newestFirst);
    this.dropsDeletions = dropsDeletions;
    this.limit = limit;
    this.progress = progress;
    this.inputBytes = newestFirst.stream().mapToLong(run -> run.name().bytes()).sum();
  }

  /** What is to be told of the bytes that the builder writes. */
  public WriteLimits.Pace pace() {
    return bytes -> {
      writtenBytes += bytes;
      if (!progress.written(writtenBytes, inputBytes)) {
        throw new InterruptedIOException("the merge is not wanted any more");
      }
      limit.written(bytes);
    };
  }

  /** Hands over the entries of the merged run. */
  public void into(Consumer<byte[]> run) {
    MergeCursor cursor = new MergeCursor(newestFirst, IdRange.all(), false);
    while (cursor.advance()) {
      byte[] entry = cursor.entry();
      if (!dropsDeletions || !RunFormat.isDeleted(entry)) {
        run.accept(entry);
      }
    }
  }
}
