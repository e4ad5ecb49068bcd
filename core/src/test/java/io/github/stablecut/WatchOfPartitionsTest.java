package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.ConflictException;
import io.github.stablecut.internal.watch.WatchBuffer;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.Certification;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.option.TransactionOptions;
import io.github.stablecut.option.WatchOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/**
 * Runs the tests of watches on a store of several partitions, where one transaction is in several
 * journals.
 */
final class WatchOfPartitionsTest extends WatchTest {
  private static final int ACCOUNTS = 16;
  private static final int WRITERS = 3;
  private static final int WRITES = 250;

  /** The acknowledged transactions, by commit time. */
  private final ConcurrentSkipListMap<Long, Set<Key<?>>> written = new ConcurrentSkipListMap<>();

  @Override
  int partitions() {
    return 4;
  }

  private static CounterKey account(int number) {
    return Key.counter("posts", "account " + number);
  }

  /** One to three transfers between two accounts each, and now and then a failed attempt. */
  private void write(int writer) {
    Random random = new Random(writer);
    for (int i = 0; i < WRITES; i++) {
      List<Update> updates = new ArrayList<>();
      for (int transfer = random.nextInt(3); transfer >= 0; transfer--) {
        updates.add(account(random.nextInt(ACCOUNTS)).increment(1));
        updates.add(account(random.nextInt(ACCOUNTS)).decrement(1));
      }
      Update[] all = updates.toArray(Update[]::new);
      TransactionOptions options = TransactionOptions.defaults();
      if (i % 2 == 0) {
        options = options.certify(Certification.WRITES);
      }
      try (Transaction transaction = store().begin(options)) {
        transaction.update(all);
        CausalToken token = transaction.commit();
        Set<Key<?>> keys = Set.copyOf(updates.stream().map(Update::key).distinct().toList());
        written.put(token.vector().max(), keys);
      } catch (ConflictException e) {
        // No watch may deliver any of it.
      }
    }
    store().update(Key.counter("posts", "end of " + writer).increment());
  }

  /** Follows watches, one after the other, until all writers have ended. */
  private SortedMap<Long, Set<Key<?>>> follow(Supplier<Watch> begin, int buffer) {
    SortedMap<Long, Set<Key<?>>> delivered = new TreeMap<>();
    int ends = 0;
    Watch watch = begin.get();
    while (ends < WRITERS) {
      CausalToken position;
      try (Watch open = watch) {
        for (int i = 0; i < 100 && ends < WRITERS; i++) {
          Change change = next(open);
          boolean isEnd = change.objects().toString().contains("end of");
          ends += isEnd ? 1 : 0;
          if (!isEnd) {
            check(delivered, change);
          }
        }
        position = open.position();
      } catch (WatchOverflowException e) {
        position = e.position();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
      watch = store().watch("posts", "", WatchOptions.after(position).buffer(buffer));
    }
    watch.close();
    return delivered;
  }

  private static void check(SortedMap<Long, Set<Key<?>>> delivered, Change change) {
    long time = change.token().vector().max();
    assertThat(delivered.isEmpty() ? 0 : delivered.lastKey()).isLessThan(time);
    delivered.put(time, Set.copyOf(change.objects()));
    long sum = 0;
    for (int account = 0; account < ACCOUNTS; account++) {
      sum += change.read(account(account));
    }
    assertThat(sum).isZero();
  }

  @Test
  void deliversEachTransactionWholeOnceAndInOrderOnAnyPartitions() {
    CausalToken begin = store().snapshot().token();
    Watch first = store().watch("posts");
    List<CompletableFuture<Void>> writers = new ArrayList<>();
    for (int writer = 0; writer < WRITERS; writer++) {
      int number = writer;
      writers.add(CompletableFuture.runAsync(() -> write(number)));
    }
    Watch later = store().watch("posts");
    long laterFrom = later.position().vector().max();
    CompletableFuture<SortedMap<Long, Set<Key<?>>>> fromNow =
        CompletableFuture.supplyAsync(() -> follow(() -> first, 1_000));
    CompletableFuture<SortedMap<Long, Set<Key<?>>>> fromLater =
        CompletableFuture.supplyAsync(() -> follow(() -> later, 20));
    CompletableFuture<SortedMap<Long, Set<Key<?>>>> fromPast =
        CompletableFuture.supplyAsync(() -> follow(() -> past(begin), 3));
    writers.forEach(CompletableFuture::join);

    assertThat(fromNow.join()).isEqualTo(written);
    assertThat(fromPast.join()).isEqualTo(written);
    assertThat(fromLater.join()).isEqualTo(written.tailMap(laterFrom, false));
    reopen(StoreOptions.defaults());
    assertThat(follow(() -> past(begin), 7)).isEqualTo(written);
  }

  private Watch past(CausalToken after) {
    return store().watch("posts", "", WatchOptions.after(after).buffer(3));
  }

  @Test
  void deliversCommitsBegunAfterTheCallAlsoOnALaggingPartition() throws InterruptedException {
    CompletableFuture<Void> others = CompletableFuture.runAsync(() -> write(0));
    for (int i = 0; !others.isDone() || i < 20; i++) {
      CounterKey key = Key.counter("mine", "" + i);
      try (Watch watch = store().watch("mine")) {
        CausalToken token = store().update(key.increment());

        assertThat(next(watch).token()).isEqualTo(token);
      }
    }
    others.join();
  }

  /** A commit that fills the watch's buffer and comes together with a small one. */
  @Test
  void deliversALargePastCommitBesideOthers() throws InterruptedException {
    StoreOptions options = StoreOptions.defaults();
    int large = (int) WatchBuffer.MAX_BYTES + 1;
    reopen(
        options.withLimits(
            options.limits().withTransactionBytes(2 * large).withValueBytes(2 * large)));
    RegisterKey<Bytes> image = Key.register("posts", "image", Codec.bytes());
    CausalToken from = store().update(account(1).increment());
    List<CausalToken> expected = new ArrayList<>();
    expected.add(store().update(image.assign(Bytes.EMPTY)));
    expected.add(store().update(image.assign(Bytes.wrap(new byte[large]))));
    expected.add(store().update(account(1).increment()));

    try (Watch watch = store().watch("posts", "", WatchOptions.after(from).withEffects())) {
      List<CausalToken> delivered = new ArrayList<>();
      while (delivered.size() < expected.size()) {
        delivered.add(next(watch).token());
      }
      assertThat(delivered).isEqualTo(expected);
    }
  }
}
