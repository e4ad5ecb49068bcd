package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Change;
import io.github.stablecut.Watch;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.crdt.counter.PnCounter;
import io.github.stablecut.crdt.set.AddWinsSet;
import io.github.stablecut.error.ConflictException;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ListKey;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.Certification;
import io.github.stablecut.option.TransactionOptions;
import io.github.stablecut.option.WatchOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The contract of watches. */
abstract class WatchedStoreContract extends WholeStoreContract {
  @Test
  void deliversEachTransactionOnceInOrderFromAPastPoint() throws Exception {
    CausalToken before = store().update(likes.increment());
    for (int i = 0; i < 5; i++) {
      store().update(likes.increment(), counter(i).increment());
    }
    try (Watch watch = store().watch(bucket, "", WatchOptions.after(before))) {
      for (int i = 0; i < 10; i++) {
        if (i >= 5) {
          store().update(counter(i).increment(), likes.increment());
        }
        Change change = watch.next();
        assertThat(change.objects()).hasSize(2).contains(likes, counter(i));
        assertThat(change.read(likes)).isEqualTo(i + 2);
        // It may be ahead: nothing else exists up to there.
        assertThat(watch.position().time()).isAfterOrEqualTo(change.token().time());
      }
      assertThat(watch.poll(Duration.ZERO)).isEmpty();
      CausalToken last = watch.position();
      store().update(likes.increment());
      try (Watch later = store().watch(bucket, "", WatchOptions.after(last))) {
        assertThat(later.next().read(likes)).isEqualTo(12);
      }
    }
  }

  @Test
  void aWatchWithEffectsDeliversTheOperations() throws Exception {
    AddWinsSetKey<String> tags = Key.addWinsSet(bucket, "tags", Codec.string());
    ListKey<String> list = Key.list(bucket, "list", Codec.string());
    Bytes a = Codec.string().encode("a");
    CausalToken before = store().update(counter(0).increment());
    Update[] updates = {
      likes.increment(2), tags.add("a"), likes.decrement(5), list.insert(0, "b"), tags.clear()
    };
    store().update(updates);
    WatchOptions begin = WatchOptions.after(before);
    try (Watch watch = store().watch(bucket, "", begin.withEffects());
        Watch names = store().watch(bucket, "", begin)) {
      for (int i = 0; i < 2; i++) {
        Change change = watch.next();
        assertThat(change.objects()).hasSize(3);
        assertThat(operations(change, likes))
            .containsExactly(new PnCounter.Add(2), new PnCounter.Add(-5));
        assertThat(operations(change, tags))
            .containsExactly(new AddWinsSet.Add(List.of(a)), new AddWinsSet.Remove(List.of(a)));
        assertThat(change.effects().stream().filter(effect -> effect.object().equals(list)))
            .singleElement()
            .matches(
                effect -> effect.operation().isEmpty(),
                "has no operation, as its position is unknown");
        Change named = names.next();
        assertThat(named.token()).isEqualTo(change.token());
        assertThat(named.effects()).isEmpty();
        store().update(updates);
      }
    }
  }

  private static List<Object> operations(Change change, Key<?> key) {
    return change.effects().stream()
        .filter(effect -> effect.object().equals(key))
        .map(effect -> effect.operation().orElseThrow())
        .toList();
  }

  @Test
  void aWatchFromNowDeliversOnlyWatchedObjects() throws Exception {
    store().update(likes.increment());
    try (Watch watch = store().watch(bucket, "42/", WatchOptions.fromNow())) {
      store().update(counter(1).increment());
      store().update(likes.increment(), counter(1).increment());

      assertThat(watch.next().objects()).isEqualTo(List.of(likes));
      Thread closer = new Thread(watch::close);
      closer.start();
      assertThatThrownBy(watch::next).isInstanceOf(IllegalStateException.class);
      closer.join();
    }
  }

  @Test
  void publishesAWatchToASubscriber() throws Exception {
    CompletableFuture<Change> received = new CompletableFuture<>();
    try (Watch watch = store().watch(bucket)) {
      watch
          .publisher()
          .subscribe(
              new Flow.Subscriber<>() {
                @Override
                public void onSubscribe(Flow.Subscription subscription) {
                  subscription.request(1);
                }

                @Override
                public void onNext(Change change) {
                  received.complete(change);
                }

                @Override
                public void onError(Throwable failure) {
                  received.completeExceptionally(failure);
                }

                @Override
                public void onComplete() {
                  received.completeExceptionally(new AssertionError("a watch is never complete"));
                }
              });
      store().update(likes.increment());

      assertThat(received.get(1, TimeUnit.MINUTES).objects()).isEqualTo(List.of(likes));
    }
  }

  @Test
  void rethrowsAConflictOfTheFunctionItselfWithoutRetry() {
    AtomicInteger runs = new AtomicInteger();
    TransactionOptions certified =
        TransactionOptions.defaults().certify(Certification.READS_WRITES);

    assertThatThrownBy(
            () ->
                store()
                    .compute(
                        List.of(likes),
                        found -> {
                          throw new ConflictException("its own, " + runs.incrementAndGet());
                        }))
        .isInstanceOf(ConflictException.class)
        .hasMessage("its own, 1");
    assertThatThrownBy(
            () ->
                store()
                    .transact(
                        certified,
                        transaction -> {
                          throw new ConflictException("its own, " + runs.incrementAndGet());
                        }))
        .isInstanceOf(ConflictException.class)
        .hasMessage("its own, 2");
  }
}
