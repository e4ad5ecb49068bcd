package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.error.StoreClosedException;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.option.WatchOptions;
import java.nio.file.Path;
import java.util.List;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A watch as a JDK reactive stream. */
final class WatchPublisherTest {
  private static final CounterKey LIKES = Key.counter("posts", "42/likes");

  @TempDir private Path directory;
  private Store store;
  private Watch watch;

  /** Records its signals. */
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
    public void onSubscribe(Flow.Subscription received) {
      subscription.complete(received);
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
  void deliversRequestedChangesInOrder() throws InterruptedException {
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
  void cancellingClosesTheWatchSilently() {
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
  void refusesASecondSubscriberAndAnInvalidRequest() throws InterruptedException {
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

  private static void awaitEndOfThreads() throws InterruptedException {
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().equals("watch-subscriber")) {
        thread.join();
      }
    }
  }

  @Test
  void aSubscriberWithoutDemandLearnsOfTheEndOfTheWatch() {
    Subscriber subscriber = subscribe();

    watch.close();

    assertThat(subscriber.error.join()).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aSubscriberWithoutDemandLearnsOfTheEndOfTheStoreAndNoThreadStays()
      throws InterruptedException {
    Subscriber subscriber = subscribe();

    store.close();

    assertThat(subscriber.error.join()).isInstanceOf(StoreClosedException.class);
    awaitEndOfThreads();
  }

  @Test
  void aSubscriberWithoutDemandLearnsOfAnOverflowAtOnceAndWhereToResume()
      throws InterruptedException {
    watch.close();
    watch = store.watch("posts", "", WatchOptions.fromNow().buffer(2));
    Subscriber subscriber = subscribe();
    for (int i = 0; i < 5; i++) {
      store.update(LIKES.increment(1));
    }

    Throwable thrown = subscriber.error.join();
    assertThat(thrown).isInstanceOf(WatchOverflowException.class);
    CausalToken position = ((WatchOverflowException) thrown).position();
    try (Watch another = store.watch("posts", "", WatchOptions.after(position))) {
      for (long value = 1; value <= 5; value++) {
        assertThat(another.next()).matches(is(value));
      }
    }
  }

  /** Throws at its first item, or at its subscription. */
  private static final class Thrower implements Flow.Subscriber<Change> {
    private final boolean atOnce;
    private final Throwable thrown;
    private final CompletableFuture<Throwable> error = new CompletableFuture<>();
    private final AtomicLong received = new AtomicLong();

    Thrower(boolean atOnce, Throwable thrown) {
      this.atOnce = atOnce;
      this.thrown = thrown;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      subscription.request(10);
      if (atOnce) {
        Thrower.<RuntimeException>sneak(thrown);
      }
    }

    @Override
    public void onNext(Change change) {
      received.incrementAndGet();
      Thrower.<RuntimeException>sneak(thrown);
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <T extends Throwable> void sneak(Throwable any) throws T {
      throw (T) any;
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

  static List<Throwable> thrown() {
    return List.of(
        new IllegalStateException("no"), new OutOfMemoryError("no"), new StackOverflowError());
  }

  @ParameterizedTest
  @MethodSource("thrown")
  void aThrowingSubscriberGetsNoMoreSignalsAndItsWatchIsClosed(Throwable thrown)
      throws InterruptedException {
    Thrower subscriber = new Thrower(false, thrown);
    watch.publisher().subscribe(subscriber);
    store.update(LIKES.increment(1));
    store.update(LIKES.increment(1));

    awaitEndOfThreads();
    assertThat(subscriber.received).hasValue(1);
    assertThat(subscriber.error).isNotDone();
    try (Watch another = store.watch("posts")) {
      assertThat(another.position()).isNotNull();
    }
  }

  @ParameterizedTest
  @MethodSource("thrown")
  void aSubscriberThatThrowsOnSubscribeHasCancelled(Throwable thrown) {
    Thrower subscriber = new Thrower(true, thrown);

    watch.publisher().subscribe(subscriber);

    assertThat(subscriber.error).isNotDone();
    try (Watch another = store.watch("posts")) {
      assertThat(another.position()).isNotNull();
    }
  }

  @Test
  void anotherPublisherOfTheWatchRefusesASecondSubscriberToo() throws InterruptedException {
    Subscriber first = subscribe();
    Subscriber second = subscribe();

    assertThat(second.error.join()).isInstanceOf(IllegalStateException.class);
    first.request(1);
    store.update(LIKES.increment(1));
    assertThat(first.next()).isNotNull();
  }
}
