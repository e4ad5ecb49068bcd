package io.github.stablecut.checkpoint.internal;

import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.checkpoint.MergeProgress;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.function.Consumer;

/**
 * Merges neighbouring runs into one with the checkpoint of the newest, keeping the newest entry of
 * each object. Confined to one thread.
 */
public final class RunMerge {
  private final List<RunFile> newestFirst;
  private final boolean dropsDeletions;
  private final RateLimit limit;
  private final MergeProgress progress;
  private final long inputBytes;
  private long writtenBytes;

  /**
   * @param dropsDeletions whether to drop entries of deleted objects: only if there is no older
   *     run, and no transaction at or above the low watermark may need the time of the deletion
   */
  public RunMerge(
      List<RunFile> newestFirst, boolean dropsDeletions, RateLimit limit, MergeProgress progress) {
    this.newestFirst = List.copyOf(newestFirst);
    this.dropsDeletions = dropsDeletions;
    this.limit = limit;
    this.progress = progress;
    this.inputBytes = newestFirst.stream().mapToLong(run -> run.name().bytes()).sum();
  }

  /** The pace for the builder: reports the progress and limits the rate. */
  public WriteLimits.Pace pace() {
    return bytes -> {
      writtenBytes += bytes;
      if (!progress.written(writtenBytes, inputBytes)) {
        throw new InterruptedIOException("the merge was cancelled");
      }
      limit.written(bytes);
    };
  }

  /** Passes the entries of the merged run to a consumer. */
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
