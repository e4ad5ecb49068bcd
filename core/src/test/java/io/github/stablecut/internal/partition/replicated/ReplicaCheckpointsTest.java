package io.github.stablecut.internal.partition.replicated;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.Checkpoint;
import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.checkpoint.FileAppender;
import io.github.stablecut.checkpoint.FileView;
import io.github.stablecut.checkpoint.ManifestFile;
import io.github.stablecut.checkpoint.RunWriter;
import io.github.stablecut.checkpoint.testing.LossyDirectory;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.internal.partition.GeneratedPartition;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.commit.PartitionContext;
import io.github.stablecut.internal.partition.commit.PartitionLog;
import io.github.stablecut.internal.partition.commit.PartitionOptions;
import io.github.stablecut.internal.replica.LogEnd;
import io.github.stablecut.internal.replica.ReplicaMessage;
import io.github.stablecut.internal.transaction.ForwardingDirectory;
import io.github.stablecut.journal.segment.SegmentStore;
import io.github.stablecut.journal.testing.LossySegments;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How a replica fetches another's checkpoint, and serves its own. */
final class ReplicaCheckpointsTest {
  private static final LogEnd END = new LogEnd(1, 1);

  private final PartitionOptions options = GeneratedPartition.options(LocalDataCentre.FIRST);
  private final TestHost place = new TestHost();
  private final ReplicaCheckpoints checkpoints = new ReplicaCheckpoints(options, place);

  private static final class TestHost implements ReplicaContext {
    private final List<ReplicaMessage> sent = new ArrayList<>();
    private boolean isFull;
    private int drops;

    @Override
    public SegmentStore journal() {
      return new LossySegments();
    }

    @Override
    public Directory checkpoints() {
      return new LossyDirectory();
    }

    @Override
    public Directory incoming() {
      if (isFull) {
        throw new StoreIoException("there is no room", new IOException("no room"));
      }
      return new LossyDirectory();
    }

    @Override
    public void leave(String node) {}

    @Override
    public void dropIncoming() {
      drops++;
    }

    @Override
    public void install(long first, long epoch) {}

    @Override
    public void send(String to, ReplicaMessage message) {
      sent.add(message);
    }

    @Override
    public PartitionContext context(long epoch) {
      throw new UnsupportedOperationException("it leads nothing");
    }

    @Override
    public void leads(Partition partition, long epoch) {}

    @Override
    public void follows(Partition led) {}
  }

  @Test
  void theReplicaContinuesWithoutRoomForADirectory() {
    place.isFull = true;

    checkpoints.fetch("b", 1, END);

    assertThat(place.sent).isEmpty();
    assertThat(checkpoints.complete()).isEmpty();
  }

  @Test
  void deletesAnUnusedFetchedCheckpoint() {
    checkpoints.fetch("b", 1, END);
    assertThat(place.sent).containsExactly(new ReplicaMessage.CheckpointRequest(1, "", 0));
    assertThat(place.drops).isZero();

    checkpoints.end();

    assertThat(place.drops).isEqualTo(1);
    checkpoints.end();
    assertThat(place.drops).isEqualTo(1);
  }

  @Test
  void doesNotDeleteACheckpointAboutToBeInstalled() {
    checkpoints.fetch("b", 1, END);

    checkpoints.take();
    checkpoints.end();

    assertThat(place.drops).isZero();
  }

  @Test
  void servesNothingOfAClosedLog() {
    PartitionLog log = PartitionLog.open(options, new LossySegments(), new LossyDirectory());
    log.start();
    log.close();

    checkpoints.serve(log, "c", new ReplicaMessage.CheckpointRequest(1, "", 0));

    assertThat(place.sent).isEmpty();
  }

  /** Each view of a file is a memory mapping, and stays mapped for long. */
  @Test
  void mapsAFileOnceForAllItsChunks() throws IOException {
    LossyDirectory directory = new LossyDirectory();
    PartitionLog log = PartitionLog.open(options, new LossySegments(), directory);
    log.start();
    byte[] state = new byte[5 * CheckpointSource.CHUNK_BYTES];
    try (RunWriter writer =
        log.checkpoints().beginRun(Checkpoint.of(VectorClock.of(7), 0), new byte[0])) {
      writer.put(Bytes.wrap(new byte[] {1}), 1, 7, state);
      ManifestFile run = writer.finish();
      log.checkpoints().commit(change -> change.addRun(run));
    }
    List<String> views = new ArrayList<>();
    CheckpointSource source =
        new CheckpointSource(
            log,
            new ForwardingDirectory(directory) {
              @Override
              public FileView view(String name) throws IOException {
                views.add(name);
                return super.view(name);
              }
            },
            ReplicaTiming.REAL);
    ReplicaMessage.CheckpointListing files =
        (ReplicaMessage.CheckpointListing)
            source.answer("c", new ReplicaMessage.CheckpointRequest(1, "", 0)).orElseThrow();
    ReplicaMessage.FileLength run = files.files().get(0);

    long from = 0;
    while (from < run.bytes()) {
      ReplicaMessage.CheckpointRequest asked =
          new ReplicaMessage.CheckpointRequest(1, run.file(), from);
      ReplicaMessage.FileChunk part =
          (ReplicaMessage.FileChunk) source.answer("c", asked).orElseThrow();
      from += part.bytes().length();
    }

    assertThat(from).isGreaterThan(state.length);
    assertThat(views).containsExactly(run.file());
    source.close();
    log.close();
  }

  /** The replica's thread, which also votes, waits for each sync. */
  @Test
  void syncsAFetchedFileInSmallSteps() throws IOException {
    int part = CheckpointSource.CHUNK_BYTES;
    long most = options.checkpoints().options().forceBytes();
    int parts = (int) (3 * most / part);
    List<Long> forced = new ArrayList<>();
    long[] unforced = {0};
    Directory counting =
        new ForwardingDirectory(new LossyDirectory()) {
          @Override
          public FileAppender create(String name) {
            return new FileAppender() {
              @Override
              public void append(byte[] source, int from, int length) {
                unforced[0] += length;
              }

              @Override
              public void force() {
                forced.add(unforced[0]);
                unforced[0] = 0;
              }

              @Override
              public void close() {}
            };
          }
        };
    try (CheckpointFetch fetch =
        new CheckpointFetch(
            "b",
            1,
            END,
            counting,
            options.checkpoints().options().withReserveBytes(0),
            ReplicaTiming.REAL,
            message -> {})) {
      List<ReplicaMessage.FileLength> files =
          List.of(
              new ReplicaMessage.FileLength("run-1", (long) parts * part),
              new ReplicaMessage.FileLength("run-2", part));
      fetch.files(new ReplicaMessage.CheckpointListing(1, 1, 1, files, List.of()));
      byte[] bytes = new byte[part];
      int checksum = CheckpointSource.checksum(bytes);

      for (int i = 0; i < parts; i++) {
        long from = (long) i * part;
        fetch.part(new ReplicaMessage.FileChunk(1, "run-1", from, Bytes.wrap(bytes), checksum));
      }
    }

    assertThat(forced).hasSize(3).containsOnly(most);
    assertThat(unforced[0]).isZero();
  }
}
