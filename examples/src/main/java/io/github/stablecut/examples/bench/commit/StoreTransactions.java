package io.github.stablecut.examples.bench.commit;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.Values;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.testing.history.HistoryRecorder;
import io.github.stablecut.testing.history.RecordedOperation;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Transactions that split a body into equal pieces and assign them to registers, on one partition
 * or several. If they are recorded, the pieces begin with the transaction's id, and every second
 * transaction reads some registers instead.
 */
public final class StoreTransactions implements CommitTarget {
  private static final int ROWS = 1_000;

  private final Store store;
  private final String name;
  private final Optional<HistoryRecorder> recorder;
  private final int pieces;

  /** The registers of each row, on as many partitions as requested. */
  private final List<List<RegisterKey<Bytes>>> rows;

  /**
   * The shape of the transactions.
   *
   * @param partitions of the store
   * @param spread the number of partitions that each transaction writes
   * @param pieces the number of registers, a multiple of {@code spread}
   */
  public record Shape(int partitions, int spread, int pieces) {}

  /**
   * @param name the store's name in the recorded history
   */
  public StoreTransactions(
      Path directory, String name, Shape shape, Optional<HistoryRecorder> recorder) {
    this.name = name;
    this.recorder = recorder;
    this.pieces = shape.pieces;
    store = Stablecut.open(directory, StoreOptions.defaults().withPartitions(shape.partitions));
    int spread = shape.spread;
    rows = IntStream.range(0, ROWS).mapToObj(row -> row(row, tags(row, spread))).toList();
  }

  /**
   * Finds key tags that map to different partitions: a conditional write reveals whether two do.
   */
  private List<String> tags(int row, int spread) {
    List<String> tags = new ArrayList<>();
    for (int i = 0; tags.size() < spread; i++) {
      String tag = "{" + row + "-" + i + "}";
      if (tags.stream().allMatch(other -> areApart(other, tag))) {
        tags.add(tag);
      }
    }
    return tags;
  }

  private boolean areApart(String one, String other) {
    return store.partitionOf(Key.counter("tags", one))
        != store.partitionOf(Key.counter("tags", other));
  }

  private List<RegisterKey<Bytes>> row(int row, List<String> tags) {
    return IntStream.range(0, pieces)
        .mapToObj(
            i -> Key.register("bench", row + "-" + i + tags.get(i % tags.size()), Codec.bytes()))
        .toList();
  }

  @Override
  public void commit(byte[] body) {
    List<RegisterKey<Bytes>> row = rows.get(ThreadLocalRandom.current().nextInt(ROWS));
    byte[] piece = new byte[body.length / pieces];
    if (recorder.isEmpty()) {
      write(row, piece);
    } else if (ThreadLocalRandom.current().nextBoolean()) {
      recorder
          .get()
          .record(
              (session, observed) -> writeRecorded(row, piece, session.transaction(), observed));
    } else {
      recorder.get().record((session, observed) -> read(row, observed));
    }
  }

  private void write(List<RegisterKey<Bytes>> row, byte[] piece) {
    Update[] updates =
        row.stream().map(key -> key.assign(Bytes.copyOf(piece))).toArray(Update[]::new);
    store.update(updates);
  }

  private void writeRecorded(
      List<RegisterKey<Bytes>> row, byte[] piece, String id, Consumer<RecordedOperation> observed) {
    byte[] value = id.getBytes(UTF_8);
    row.forEach(key -> observed.accept(new RecordedOperation.RegisterWrite(nameOf(key), id)));
    write(row, Arrays.copyOf(value, Math.max(value.length, piece.length)));
  }

  private void read(List<RegisterKey<Bytes>> row, Consumer<RecordedOperation> observed) {
    Values values = store.read(row);
    for (RegisterKey<Bytes> key : row) {
      Optional<String> id = values.get(key).map(value -> value.toUtf8().replace("\0", ""));
      observed.accept(new RecordedOperation.RegisterRead(nameOf(key), id));
    }
  }

  private String nameOf(RegisterKey<Bytes> key) {
    return name + "/" + key.id();
  }

  @Override
  public long syncs() {
    return store.status().journal().syncs();
  }

  @Override
  public void close() {
    store.close();
  }
}
