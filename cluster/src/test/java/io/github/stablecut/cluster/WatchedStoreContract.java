package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Change;
import io.github.stablecut.Watch;
import io.github.stablecut.option.WatchOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a store tells those who watch it. */
abstract class WatchedStoreContract extends WholeStoreContract {
  @Test
  void aWatchTellsEachTransactionOnceInOrderFromThePastOn() throws Exception {
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
        assertThat(watch.position()).isEqualTo(change.token());
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
  void aWatchFromNowTellsOnlyWhatIsWatched() throws Exception {
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
  void aWatchIsPublishedToASubscriber() throws Exception {
    CompletableFuture<Change> told = new CompletableFuture<>();
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
                  told.complete(change);
                }

                @Override
                public void onError(Throwable failure) {
                  told.completeExceptionally(failure);
                }

                @Override
                public void onComplete() {
                  told.completeExceptionally(new AssertionError("a watch is never complete"));
                }
              });
      store().update(likes.increment());

      assertThat(told.get(30, TimeUnit.SECONDS).objects()).isEqualTo(List.of(likes));
    }
  }
}
