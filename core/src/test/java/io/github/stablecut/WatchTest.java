package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.tuple;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.crdt.counter.PnCounter;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.error.SnapshotTruncatedException;
import io.github.stablecut.error.StoreClosedException;
import io.github.stablecut.error.UnknownSnapshotException;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.option.WatchOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A watch delivers committed changes in order, each once, without gaps. */
class WatchTest {
  private static final CounterKey LIKES = Key.counter("posts", "42/likes");
  private static final AddWinsSetKey<String> TAGS =
      Key.addWinsSet("posts", "42/tags", Codec.string());
  private static final CounterKey OTHER_POST = Key.counter("posts", "43/likes");
  private static final CounterKey OTHER_BUCKET = Key.counter("users", "42/likes");
  private static final Duration LONG = Duration.ofSeconds(30);

  @TempDir private Path directory;
  private Store store;

  /** The number of partitions of the store. */
  int partitions() {
    return 1;
  }

  Store store() {
    return store;
  }

  @BeforeEach
  void open() {
    open(StoreOptions.defaults().withCheckpoints(CheckpointPolicy.byCall()));
  }

  private void open(StoreOptions options) {
    store = Stablecut.open(directory.resolve("data"), options.withPartitions(partitions()));
  }

  void reopen(StoreOptions options) {
    store.close();
    open(options);
  }

  @AfterEach
  void close() {
    store.close();
  }

  private Watch after(CausalToken token) {
    return store.watch("posts", "", WatchOptions.after(token));
  }

  private CausalToken now() {
    return store.snapshot().token();
  }

  /** The next change, which is present or arriving. */
  static Change next(Watch watch) throws InterruptedException {
    return watch.poll(LONG).orElseThrow();
  }

  @Test
  void aChangeHasATransactionsWatchedObjectsAndTheirValues() throws InterruptedException {
    try (Watch watch = store.watch("posts", "42/", WatchOptions.fromNow())) {
      CausalToken token =
          store.update(
              LIKES.increment(1),
              OTHER_POST.increment(1),
              TAGS.add("a"),
              OTHER_BUCKET.increment(1),
              LIKES.increment(1));
      store.update(LIKES.increment(5));

      Change change = next(watch);

      assertThat(change.token()).isEqualTo(token);
      assertThat(change.objects()).containsExactlyInAnyOrder(LIKES, TAGS);
      assertThat(change.read(LIKES)).isEqualTo(2);
      assertThat(change.read(TAGS)).containsExactly("a");
      Key<?> likes = change.objects().get(change.objects().indexOf(LIKES));
      assertThat((Object) change.read(likes)).isEqualTo(2L);
      assertThat(next(watch).read(LIKES)).isEqualTo(7);
    }
  }

  @Test
  void deliversNewCommitsWithEffectsOnRequest() throws InterruptedException {
    try (Watch names = store.watch("posts", "", WatchOptions.fromNow())) {
      store.update(LIKES.increment(1));
      assertThat(next(names).effects()).isEmpty();
      try (Watch watch = store.watch("posts", "42/", WatchOptions.fromNow().withEffects())) {
        store.update(LIKES.increment(2), OTHER_POST.increment(1), LIKES.increment(3));

        assertThat(next(watch).effects())
            .extracting(CommittedEffect::object, CommittedEffect::effect)
            .containsExactly(
                tuple(LIKES, new PnCounter.Add(2)), tuple(LIKES, new PnCounter.Add(3)));
        assertThat(next(names).effects()).isEmpty();
      }
    }
  }

  /** For any number of watches and any size of the effect. */
  @Test
  void anEffectIsInMemoryOnceForAllWatches() throws InterruptedException {
    WatchOptions options = WatchOptions.fromNow().withEffects();
    try (Watch one = store.watch("posts", "", options);
        Watch other = store.watch("posts", "", options)) {
      store.update(LIKES.increment(2));

      Bytes bytes = next(one).effects().get(0).encoded();
      assertThat(next(other).effects().get(0).encoded()).isSameAs(bytes);
    }
  }

  @Test
  void unwatchedCommitsAreSkippedButAdvanceThePosition() throws InterruptedException {
    try (Watch watch = store.watch("posts", "42/", WatchOptions.fromNow())) {
      CausalToken token = store.update(OTHER_POST.increment(1), OTHER_BUCKET.increment(1));

      assertThat(watch.poll(Duration.ZERO)).isEmpty();
      while (!token.vector().isAtOrBefore(watch.position().vector())) {
        assertThat(watch.poll(Duration.ofMillis(1))).isEmpty();
      }
    }
  }

  @Test
  void deliversThePastFromATokenAndThenThePresent() throws InterruptedException {
    CausalToken begin = store.update(LIKES.increment(1));
    List<CausalToken> expected = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      expected.add(store.update(LIKES.increment(1)));
      store.update(OTHER_BUCKET.increment(1));
    }
    try (Watch watch = store.watch("posts", "", WatchOptions.after(begin).buffer(3))) {
      List<CausalToken> delivered = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        delivered.add(next(watch).token());
      }
      for (int i = 0; i < 10; i++) {
        expected.add(store.update(LIKES.increment(1)));
        delivered.add(next(watch).token());
      }

      assertThat(delivered).isEqualTo(expected);
      assertThat(watch.poll(Duration.ZERO)).isEmpty();
    }
  }

  @Test
  void resumesAfterItsPositionAlsoInAReopenedStore() throws InterruptedException {
    CausalToken begin = now();
    for (int i = 0; i < 5; i++) {
      store.update(LIKES.increment(1));
    }
    CausalToken position;
    try (Watch watch = after(begin)) {
      assertThat(next(watch).read(LIKES)).isEqualTo(1);
      assertThat(next(watch).read(LIKES)).isEqualTo(2);
      position = watch.position();
    }

    reopen(StoreOptions.defaults());

    try (Watch watch = after(CausalToken.parse(position.toText()))) {
      for (long value = 3; value <= 5; value++) {
        assertThat(next(watch).read(LIKES)).isEqualTo(value);
      }
      assertThat(watch.poll(Duration.ZERO)).isEmpty();
    }
  }

  @Test
  void findsThePastInAllSegmentsOfTheJournal() throws InterruptedException {
    reopen(
        StoreOptions.defaults()
            .withCheckpoints(CheckpointPolicy.byCall())
            .withLimits(StoreOptions.Limits.defaults().withSegmentBytes(1 << 20)));
    RegisterKey<Bytes> blob = Key.register("users", "blob", Codec.bytes());
    CausalToken begin = now();
    List<CausalToken> expected = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      store.update(blob.assign(Bytes.wrap(new byte[300_000])));
      expected.add(store.update(LIKES.increment(1)));
    }
    assertThat(store.status().journal().segments()).isGreaterThan(4);

    for (int from = 0; from < expected.size(); from++) {
      CausalToken after = from == 0 ? begin : expected.get(from - 1);
      try (Watch watch = after(after)) {
        for (CausalToken token : expected.subList(from, expected.size())) {
          assertThat(next(watch).token()).isEqualTo(token);
        }
      }
    }
  }

  @Test
  void refusesATokenBelowTheLowWatermarkWithBothPoints() {
    CausalToken old = store.update(LIKES.increment(1));
    store.update(LIKES.increment(1));
    truncate();

    assertThatThrownBy(() -> after(old))
        .isInstanceOf(SnapshotTruncatedException.class)
        .hasMessageContaining("the oldest readable one is of");
  }

  private void truncate() {
    reopen(
        StoreOptions.defaults()
            .withCheckpoints(CheckpointPolicy.byCall().withRetention(Duration.ZERO)));
    store.checkpoint();
    store.update(LIKES.increment(1));
    store.checkpoint();
  }

  @Test
  void aWatchOvertakenByTruncationEndsAndHoldsNothing() throws InterruptedException {
    reopen(
        StoreOptions.defaults()
            .withCheckpoints(CheckpointPolicy.byCall().withRetention(Duration.ZERO)));
    CausalToken begin = store.update(LIKES.increment(1));
    for (int i = 0; i < 4; i++) {
      store.update(LIKES.increment(1));
    }
    try (Watch watch = store.watch("posts", "", WatchOptions.after(begin).buffer(1))) {
      assertThat(next(watch).read(LIKES)).isEqualTo(2);
      store.checkpoint();
      store.update(LIKES.increment(1));
      store.checkpoint();

      assertThatThrownBy(() -> watch.poll(LONG)).isInstanceOf(SnapshotTruncatedException.class);
    }
  }

  @Test
  void aSlowWatchEndsAfterItsBufferAndSaysWhereToResume() throws InterruptedException {
    try (Watch watch = store.watch("posts", "", WatchOptions.fromNow().buffer(3))) {
      try (Watch fast = store.watch("posts")) {
        for (int i = 0; i < 10; i++) {
          store.update(LIKES.increment(1));
          assertThat(next(fast).read(LIKES)).isEqualTo(i + 1);
        }
      }

      for (int i = 0; i < 3; i++) {
        assertThat(next(watch).read(LIKES)).isEqualTo(i + 1);
      }
      WatchOverflowException overflow =
          catchThrowableOfType(WatchOverflowException.class, watch::next);

      assertThat(overflow).hasMessageContaining("more than 3 changes");
      assertThat(store.at(overflow.position()).read(LIKES)).isEqualTo(3);
      assertThatThrownBy(() -> watch.poll(Duration.ZERO))
          .isInstanceOf(WatchOverflowException.class);
      try (Watch again = after(overflow.position())) {
        for (long value = 4; value <= 10; value++) {
          assertThat(next(again).read(LIKES)).isEqualTo(value);
        }
      }
    }
  }

  @Test
  void closingTheStoreOrTheWatchEndsAWaitingCall() {
    Watch watch = store.watch("posts");
    CompletableFuture<Change> waiting = CompletableFuture.supplyAsync(() -> await(watch));

    watch.close();
    watch.close();

    assertThatThrownBy(waiting::get)
        .isInstanceOf(ExecutionException.class)
        .hasRootCauseInstanceOf(IllegalStateException.class)
        .hasMessageContaining("the watch is closed");

    Watch other = store.watch("posts");
    CompletableFuture<Change> alsoWaiting = CompletableFuture.supplyAsync(() -> await(other));

    store.close();

    assertThatThrownBy(alsoWaiting::get)
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(StoreClosedException.class);
    assertThatThrownBy(() -> other.poll(Duration.ZERO)).isInstanceOf(StoreClosedException.class);
    assertThatThrownBy(() -> store.watch("posts")).isInstanceOf(StoreClosedException.class);
  }

  private static Change await(Watch watch) {
    try {
      return watch.next();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void anInterruptEndsTheWaitAndLosesNothing() throws InterruptedException {
    try (Watch watch = store.watch("posts")) {
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> watch.poll(LONG)).isInstanceOf(InterruptedException.class);

      store.update(LIKES.increment(1));
      assertThat(next(watch).read(LIKES)).isEqualTo(1);
    }
  }

  @Test
  void limitsTheNumberOfOpenWatches() throws InterruptedException {
    reopen(StoreOptions.defaults().withLimits(StoreOptions.Limits.defaults().withOpenWatches(2)));
    try (Watch first = store.watch("posts")) {
      try (Watch second = store.watch("posts")) {
        assertThat(first.poll(Duration.ZERO)).isEmpty();
        assertThat(second.poll(Duration.ZERO)).isEmpty();
        assertThatThrownBy(() -> store.watch("posts"))
            .isInstanceOf(LimitExceededException.class)
            .hasMessageContaining("2 watches are open")
            .hasMessageContaining("openWatches");
      }
      store.watch("posts").close();
    }
  }

  @Test
  void refusesInvalidOptions() {
    assertThatThrownBy(() -> WatchOptions.fromNow().buffer(0))
        .isInstanceOf(IllegalArgumentException.class);
    try (Watch watch = store.watch("posts")) {
      assertThatThrownBy(() -> watch.poll(Duration.ofMillis(-1)))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThatThrownBy(() -> after(new CausalToken(1, now().vector())))
        .isInstanceOf(UnknownSnapshotException.class);
  }

  @Test
  void eachWatchDeliversConcurrentCommitsOnceInOrder() throws Exception {
    CausalToken begin = now();
    List<CompletableFuture<Void>> writers = new ArrayList<>();
    for (int writer = 0; writer < 3; writer++) {
      writers.add(CompletableFuture.runAsync(this::write));
    }
    List<CompletableFuture<Integer>> watchers = new ArrayList<>();
    for (int watcher = 0; watcher < 3; watcher++) {
      CausalToken from = watcher == 0 ? begin : store.snapshot().token();
      watchers.add(CompletableFuture.supplyAsync(() -> follow(from)));
    }

    for (CompletableFuture<Void> writer : writers) {
      writer.get();
    }
    assertThat(watchers.get(0).get()).isEqualTo(3 * WRITES);
    watchers.get(1).get();
    watchers.get(2).get();
  }

  private static final int WRITES = 400;

  private void write() {
    for (int i = 0; i < WRITES; i++) {
      store.update(LIKES.increment(1), OTHER_POST.decrement(1));
    }
  }

  /**
   * Follows until all is written, now and then closing the watch and resuming after its position.
   *
   * @return the number of changes delivered
   */
  private int follow(CausalToken from) {
    long seen = store.at(from).read(LIKES);
    int delivered = 0;
    CausalToken position = from;
    while (seen < 3 * WRITES) {
      try (Watch watch = store.watch("posts", "", WatchOptions.after(position).buffer(50))) {
        for (int i = 0; i < 170 && seen < 3 * WRITES; i++) {
          Optional<Change> change = watch.poll(LONG);
          assertThat(change).isPresent();
          Values values = change.get().snapshot().read(List.of(LIKES, OTHER_POST));
          assertThat(values.get(LIKES)).isEqualTo(++seen);
          assertThat(values.get(OTHER_POST)).isEqualTo(-seen);
          delivered++;
          position = watch.position();
        }
      } catch (WatchOverflowException e) {
        assertThat(store.at(e.position()).read(LIKES)).isEqualTo(seen);
        position = e.position();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
    return delivered;
  }
}
