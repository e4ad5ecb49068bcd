package io.github.stablecut.examples.bench;

import io.github.stablecut.Key;
import io.github.stablecut.RegisterKey;
import io.github.stablecut.SeveralPartitionsException;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.StoreOptions;
import io.github.stablecut.Update;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;

/**
 * Transactions that assign a body, cut into equal pieces, to registers: all on one partition, or
 * spread over some.
 */
final class StoreTransactions implements CommitTarget {
  private static final int ROWS = 1_000;

  private final Store store;
  private final int pieces;

  /** The registers of each row: pieces that are on as many partitions as asked for. */
  private final List<List<RegisterKey<Bytes>>> rows;

  /**
   * @param partitions of the store
   * @param spread how many partitions each transaction writes
   * @param pieces how many registers, a multiple of {@code spread}
   */
  StoreTransactions(Path directory, int partitions, int spread, int pieces) {
    this.pieces = pieces;
    store = Stablecut.open(directory, StoreOptions.defaults().withPartitions(partitions));
    rows = IntStream.range(0, ROWS).mapToObj(row -> row(row, tags(row, spread))).toList();
  }

  /**
   * Parts of keys that keep them together, each on a partition of its own: a conditional write
   * tells whether two are apart.
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
    try {
      var unused =
          store.compareAndUpdate(
              List.of(Key.counter("tags", one), Key.counter("tags", other)),
              found -> false,
              Key.counter("tags", one).increment());
      return false;
    } catch (SeveralPartitionsException e) {
      return true;
    }
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
    Update[] updates =
        row.stream().map(key -> key.assign(Bytes.copyOf(piece))).toArray(Update[]::new);
    var unused = store.update(updates);
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
