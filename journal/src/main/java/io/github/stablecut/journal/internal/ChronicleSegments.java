package io.github.stablecut.journal.internal;

import io.github.stablecut.file.PrivateFiles;
import java.io.IOException;
import java.nio.file.Path;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.bytes.SyncMode;
import net.openhft.chronicle.core.io.BackgroundResourceReleaser;
import net.openhft.chronicle.core.io.IORuntimeException;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;
import net.openhft.chronicle.queue.rollcycles.SparseRollCycles;
import net.openhft.chronicle.wire.DocumentContext;
import org.jspecify.annotations.Nullable;

/**
 * Segments that are cycles of one Chronicle queue. An excerpt is an extent, so that Chronicle costs
 * nothing per chunk.
 *
 * <p>Chronicle lays out the file, and nothing else. It has no checksum, its {@code sync()} misses
 * data and swallows errors, and it repairs what it finds; therefore writing, forcing and reading go
 * through a channel and a map of our own, and the queue begins empty at each open. The queue's
 * clock is ours, so that its cycle is the segment's number. Chronicle maps and lengthens a file by
 * {@link #STEP_BYTES} at a time.
 *
 * <p>Invariant: Chronicle never sees a file of an earlier run.
 *
 * <p>Thread-safe as the interface says.
 */
public final class ChronicleSegments extends ExtentSegments {
  private static final long MILLIS_PER_CYCLE = 86_400_000L;
  private static final long TIMEOUT_MILLIS = 5_000;

  /**
   * A file grows by so much. Chronicle maps a quarter more each time, in which the longest extent
   * has room.
   */
  static final int STEP_BYTES = 8 << 20;

  private @Nullable SingleChronicleQueue queue;
  private @Nullable ExcerptAppender appender;

  private ChronicleSegments(Path directory, int segmentBytes) throws IOException {
    super(directory, segmentBytes);
  }

  /** Opens a directory, which is created if it doesn't exist. Starts nothing of Chronicle yet. */
  public static ChronicleSegments open(Path directory, int segmentBytes) throws IOException {
    ChronicleSilence.establish();
    return new ChronicleSegments(directory, segmentBytes);
  }

  @Override
  String fileNameOf(int segment) {
    return SegmentFiles.chronicleNameOf(segment);
  }

  /** Has Chronicle make room, and fills it. */
  @Override
  Space extend(int bytes) throws IOException {
    try (DocumentContext document = appender().writingDocument()) {
      try {
        Bytes<?> target = document.wire().bytes();
        long start = target.writePosition();
        target.writeSkip(bytes);
        fill(start, start + bytes);
        return new Space(start, start + bytes);
      } catch (Throwable e) {
        document.rollbackOnClose();
        throw e;
      }
    } catch (IORuntimeException e) {
      throw failure(e);
    }
  }

  /** Chronicle's failure to create, lengthen or map a file, with the system's reason. */
  private IOException failure(IORuntimeException thrown) {
    Throwable reason = thrown;
    while (reason.getCause() instanceof IOException cause) {
      reason = cause;
    }
    return new IOException(nameOf(current()) + ": " + reason.getMessage(), thrown);
  }

  private ExcerptAppender appender() throws IOException {
    ExcerptAppender existing = appender;
    if (existing != null) {
      return existing;
    }
    SingleChronicleQueue opened =
        SingleChronicleQueueBuilder.binary(directory().toFile())
            .rollCycle(SparseRollCycles.SMALL_DAILY)
            .blockSize(STEP_BYTES)
            .syncMode(SyncMode.NONE)
            .timeProvider(() -> current() * MILLIS_PER_CYCLE)
            .timeoutMS(TIMEOUT_MILLIS)
            .build();
    queue = opened;
    PrivateFiles.restrict(directory().resolve(SegmentFiles.METADATA));
    ExcerptAppender created = opened.createAppender();
    created.singleThreadedCheckDisabled(true);
    appender = created;
    return created;
  }

  @Override
  void closeLayout() throws IOException {
    SingleChronicleQueue open = queue;
    if (open != null) {
      try {
        open.close();
        BackgroundResourceReleaser.releasePendingResources();
      } catch (IORuntimeException e) {
        throw failure(e);
      }
    }
  }
}
