package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A watch as the JDK's reactive streams have it. */
final class WatchPublisherTest {
  private static final CounterKey LIKES = Key.counter("posts", "42/likes");

  @TempDir private Path directory;
  private Store store;
  private Watch watch;

  /** Notes what it is given. */
  private static final class Subscriber implements Flow.Subscriber<Change> {
    private final CompletableFuture<Flow.Subscription> subscription = new CompletableFuture<>();
    private final CompletableFuture<Throwable> error = new CompletableFuture<>();
    private final BlockingQueue<Change> changes = new LinkedBlockingQueue<>();
    private final AtomicLong wanted = new AtomicLong();

    void request(long number) {
      wanted.addAndGet(number);
      subscription.join().request(number);
    }

    @Nullable Change next() throws InterruptedException {
      return changes.poll(30, TimeUnit.SECONDS);
    }

    @Override
    public void onSubscribe(Flow.Subscription given) {
      subscription.complete(given);
    }

    @Override
    public void onNext(Change change) {
      if (wanted.getAndDecrement() <= 0) {
        error.complete(new AssertionError("more than was requested"));
      }
      changes.add(change);
    }

    @Override
    public void onError(Throwable thrown) {
      error.complete(thrown);
    }

    @Override
    public void onComplete() {
      error.complete(new AssertionError("a watch is never complete"));
    }
  }

  @BeforeEach
  void open() {
    store =
        Stablecut.open(
            directory.resolve("data"),
            StoreOptions.defaults().withLimits(StoreOptions.Limits.defaults().withOpenWatches(1)));
    watch = store.watch("posts");
  }

  @AfterEach
  void close() {
    store.close();
  }

  private Subscriber subscribe() {
    Subscriber subscriber = new Subscriber();
    watch.publisher().subscribe(subscriber);
    return subscriber;
  }

  @Test
  void aSubscriberIsGivenWhatItRequestsInOrder() throws InterruptedException {
    Subscriber subscriber = subscribe();
    for (int i = 0; i < 5; i++) {
      store.update(LIKES.increment(1));
    }
    for (long value = 1; value <= 5; value++) {
      assertThat(subscriber.changes).isEmpty();
      subscriber.request(1);
      assertThat(subscriber.next()).isNotNull().matches(is(value));
    }
    subscriber.request(Long.MAX_VALUE);
    store.update(LIKES.increment(1));
    assertThat(subscriber.next()).isNotNull().matches(is(6));
    assertThat(subscriber.error).isNotDone();
  }

  private static Predicate<Change> is(long value) {
    return change -> change.read(LIKES) == value;
  }

  @Test
  void cancellingClosesTheWatchAndSaysNothing() {
    Subscriber subscriber = subscribe();
    subscriber.request(1);

    subscriber.subscription.join().cancel();
    subscriber.subscription.join().cancel();

    try (Watch another = store.watch("posts")) {
      assertThat(another.position()).isNotNull();
    }
    store.close();
    assertThat(subscriber.error).isNotDone();
  }

  @Test
  void theEndOfTheStoreIsAnError() {
    Subscriber subscriber = subscribe();
    subscriber.request(1);

    store.close();

    assertThat(subscriber.error.join()).isInstanceOf(StoreClosedException.class);
  }

  @Test
  void aSecondSubscriberAndABadRequestAreRefused() throws InterruptedException {
    Flow.Publisher<Change> publisher = watch.publisher();
    Subscriber first = new Subscriber();
    Subscriber second = new Subscriber();
    publisher.subscribe(first);
    publisher.subscribe(second);

    assertThat(second.error.join()).isInstanceOf(IllegalStateException.class);
    second.subscription.join().cancel();
    first.request(1);
    store.update(LIKES.increment(1));
    assertThat(first.next()).isNotNull();

    first.request(0);
    assertThat(first.error.join()).isInstanceOf(IllegalArgumentException.class);
  }
}
