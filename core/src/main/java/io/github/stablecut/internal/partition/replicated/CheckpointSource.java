package io.github.stablecut.internal.partition.replicated;

import io.github.stablecut.checkpoint.CheckpointView;
import io.github.stablecut.checkpoint.CheckpointsClosedException;
import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.checkpoint.FileView;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.partition.commit.PartitionLog;
import io.github.stablecut.internal.replica.ReplicaMessage;
import io.github.stablecut.log.Log;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Serves the newest checkpoint of a replica that leads, or is about to, to other replicas. Its
 * files are retained until a replica has them or stops asking. Confined to the replica's thread.
 */
final class CheckpointSource implements AutoCloseable {
  private static final Logger LOG = Log.of(CheckpointSource.class);

  /** The size of a chunk. */
  static final int CHUNK_BYTES = 512 << 10;

  /** Time after which a silent replica's files are released. */
  private static final long SILENCE_NANOS = 30_000_000_000L;

  /** A checkpoint that a replica fetches. */
  private final class ServedCheckpoint {
    final CheckpointView view;
    long heardAtNanos = clock.nanoTime();
    private String name = "";
    private @Nullable FileView file;

    ServedCheckpoint(CheckpointView view) {
      this.view = view;
    }

    /** Returns a file, which stays open until another one is requested: it may be a memory map. */
    FileView file(String fileName) throws IOException {
      FileView open = file;
      if (open == null || !name.equals(fileName)) {
        closeFile();
        open = directory.view(fileName);
        file = open;
        name = fileName;
      }
      return open;
    }

    private void closeFile() {
      if (file != null) {
        file.close();
        file = null;
      }
    }

    void close() {
      closeFile();
      view.close();
    }
  }

  private final PartitionLog log;
  private final Directory directory;
  private final ReplicaTiming clock;
  private final Map<String, ServedCheckpoint> served = new HashMap<>();

  /**
   * @param directory the directory of the log's checkpoints, for reading
   */
  CheckpointSource(PartitionLog log, Directory directory, ReplicaTiming clock) {
    this.clock = clock;
    this.log = log;
    this.directory = directory;
  }

  /**
   * The answer to a request. Empty if the file is missing, as for a replica that was silent for too
   * long, which then starts again. Also empty if the partition is closed because it steps down: the
   * replica asks the next leader.
   */
  Optional<ReplicaMessage> answer(String to, ReplicaMessage.CheckpointRequest request) {
    if (request.file().isEmpty()) {
      return begin(to, request.epoch());
    }
    ServedCheckpoint checkpoint = served.get(to);
    if (checkpoint == null || !checkpoint.view.manifest().names(request.file())) {
      return Optional.empty();
    }
    checkpoint.heardAtNanos = clock.nanoTime();
    try {
      return Optional.of(chunk(checkpoint, request));
    } catch (IOException e) {
      LOG.info("a chunk of {} can't be read for another replica: {}", request.file(), e.toString());
      return Optional.empty();
    }
  }

  private Optional<ReplicaMessage> begin(String to, long epoch) {
    // The log comes first: what a concurrent truncation drops from it is in the checkpoint.
    long first = log.journal().firstRecord();
    long firstEpoch = log.journal().epochs().at(first);
    CheckpointView view;
    try {
      view = log.checkpoints().view();
    } catch (CheckpointsClosedException e) {
      return Optional.empty();
    }
    ServedCheckpoint previous = served.put(to, new ServedCheckpoint(view));
    if (previous != null) {
      previous.close();
    }
    List<ReplicaMessage.FileLength> files = new ArrayList<>();
    view.manifest()
        .runs()
        .forEach(run -> files.add(new ReplicaMessage.FileLength(run.name(), run.bytes())));
    List<ReplicaMessage.SmallFile> heads = new ArrayList<>();
    view.replicaHeads()
        .forEach(
            (name, content) -> heads.add(new ReplicaMessage.SmallFile(name, Bytes.wrap(content))));
    return Optional.of(
        new ReplicaMessage.CheckpointListing(epoch, first, firstEpoch, files, heads));
  }

  private static ReplicaMessage.FileChunk chunk(
      ServedCheckpoint checkpoint, ReplicaMessage.CheckpointRequest request) throws IOException {
    FileView file = checkpoint.file(request.file());
    int length = (int) Math.max(0, Math.min(CHUNK_BYTES, file.length() - request.from()));
    byte[] bytes = file.get(request.from(), length);
    return new ReplicaMessage.FileChunk(
        request.epoch(), request.file(), request.from(), Bytes.wrap(bytes), checksum(bytes));
  }

  static int checksum(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return (int) crc.getValue();
  }

  /** Releases the files of silent replicas. */
  void tick() {
    long nowNanos = clock.nanoTime();
    served
        .values()
        .removeIf(
            one -> {
              boolean isSilent = nowNanos - one.heardAtNanos > SILENCE_NANOS;
              if (isSilent) {
                one.close();
              }
              return isSilent;
            });
  }

  @Override
  public void close() {
    served.values().forEach(ServedCheckpoint::close);
    served.clear();
  }
}
