package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.HookFailedException;
import io.github.stablecut.error.HookTimeoutException;
import io.github.stablecut.error.StoreClosedException;
import io.github.stablecut.error.TransactionEndedException;
import io.github.stablecut.error.TypeMismatchException;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Hooks before and after commits, as in AntidoteDB. */
final class HooksTest {
  private static final CounterKey LIKES = Key.counter("posts", "42/likes");
  private static final AddWinsSetKey<String> TAGS =
      Key.addWinsSet("posts", "42/tags", Codec.string());
  private static final CounterKey USERS = Key.counter("users", "count");
  private static final Duration SHORT = Duration.ofMillis(200);

  @TempDir private Path directory;
  private @Nullable Store opened;

  private Store open(Hooks hooks) {
    Store store =
        Stablecut.open(directory.resolve("data"), StoreOptions.defaults().withHooks(hooks));
    opened = store;
    return store;
  }

  @AfterEach
  void close() {
    if (opened != null) {
      opened.close();
    }
  }

  private static Update doubled(Update update) {
    return update.key().equals(LIKES) ? LIKES.increment(2) : update;
  }

  @Test
  void preCommitHookReplacesUpdatesAndTheTransactionReadsTheResult() {
    Store store = open(Hooks.none().preCommit("posts", (update, snapshot) -> doubled(update)));

    store.update(LIKES.increment(1), USERS.increment(1));
    store.run(
        tx -> {
          tx.update(LIKES.increment(1), TAGS.add("a"));
          assertThat(tx.read(LIKES)).isEqualTo(4);
        });

    assertThat(store.read(LIKES)).isEqualTo(4);
    assertThat(store.read(TAGS)).containsExactly("a");
    assertThat(store.read(USERS)).isEqualTo(1);
  }

  @Test
  void waitersForAHookThreadLearnThatTheStoreIsClosed() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    Store store =
        open(
            Hooks.none()
                .withThreads(1)
                .withTimeout(Duration.ofHours(1))
                .preCommit(
                    "posts",
                    (update, snapshot) -> {
                      begun.countDown();
                      awaitUninterruptibly(end);
                      return update;
                    }));
    CompletableFuture<Void> first =
        CompletableFuture.runAsync(() -> store.update(LIKES.increment(1)));
    begun.await();
    CompletableFuture<Void> second = new CompletableFuture<>();
    Thread waiting =
        new Thread(
            () -> {
              try {
                store.update(LIKES.increment(1));
                second.complete(null);
              } catch (RuntimeException e) {
                second.completeExceptionally(e);
              }
            });
    waiting.start();
    while (waiting.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }

    store.close();

    assertThatThrownBy(second::join).hasCauseInstanceOf(StoreClosedException.class);
    end.countDown();
    assertThatThrownBy(first::join).isInstanceOf(CompletionException.class);
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    while (true) {
      try {
        latch.await();
        return;
      } catch (InterruptedException e) {
        // A hook that can't be interrupted.
      }
    }
  }

  @Test
  void hooksOfABucketRunInOrderEachOnThePreviousResult() {
    Store store =
        open(
            Hooks.none()
                .preCommit("posts", (update, snapshot) -> LIKES.increment(10))
                .preCommit(
                    "posts",
                    (update, snapshot) -> {
                      assertThat(update.operation()).isEqualTo(LIKES.increment(10).operation());
                      return LIKES.increment(100);
                    }));

    store.update(LIKES.increment(1));

    assertThat(store.read(LIKES)).isEqualTo(100);
  }

  @Test
  void aHookReadsTheTransactionsSnapshotWithoutItsUpdates() {
    BlockingQueue<Long> seen = new LinkedBlockingQueue<>();
    Store store =
        open(
            Hooks.none()
                .preCommit(
                    "posts",
                    (update, snapshot) -> {
                      seen.add(snapshot.read(LIKES));
                      return update;
                    }));

    store.update(LIKES.increment(1));
    try (Transaction transaction = store.begin()) {
      store.update(LIKES.increment(1));
      transaction.update(LIKES.increment(1), LIKES.increment(1));
    }

    assertThat(seen).containsExactly(0L, 1L, 1L, 1L);
  }

  @Test
  void aThrowingHookAbortsTheTransactionAndChangesNothing() {
    Store store =
        open(
            Hooks.none()
                .preCommit(
                    "posts",
                    (update, snapshot) -> {
                      throw new IllegalArgumentException("no likes on Sundays");
                    }));

    Transaction outer = store.begin();
    outer.update(USERS.increment(1));
    Transaction inner = outer.begin();

    assertThatThrownBy(() -> inner.update(LIKES.increment(1)))
        .isInstanceOf(HookFailedException.class)
        .hasMessageContaining("bucket \"posts\"")
        .hasMessageContaining("no likes on Sundays")
        .hasMessageContaining("nothing was changed")
        .hasCauseInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(outer::commit)
        .isInstanceOf(TransactionEndedException.class)
        .hasMessageContaining("is aborted");
    assertThatThrownBy(inner::commit).isInstanceOf(TransactionEndedException.class);
    assertThatThrownBy(() -> store.update(USERS.increment(1), LIKES.increment(1)))
        .isInstanceOf(HookFailedException.class);
    assertThat(store.read(List.of(LIKES, USERS)).get(USERS)).isZero();
    assertThat(store.status().hooks().refused()).isEqualTo(2);
    assertThat(store.status().openTransactions()).isZero();
  }

  @Test
  void anErrorInAHookIsARefusalToo() {
    Store store = open(Hooks.none().preCommit("posts", (update, snapshot) -> forEver(update)));

    assertThatThrownBy(() -> store.update(LIKES.increment(1)))
        .isInstanceOf(HookFailedException.class)
        .hasCauseInstanceOf(StackOverflowError.class);
  }

  @SuppressWarnings("InfiniteRecursion") // the point of the test
  private static Update forEver(Update update) {
    return forEver(update);
  }

  @Test
  void refusesAHookThatReturnsAnUpdateOfAnotherObject() {
    Store store = open(Hooks.none().preCommit("posts", (update, snapshot) -> USERS.increment(1)));

    assertThatThrownBy(() -> store.update(LIKES.increment(1)))
        .isInstanceOf(HookFailedException.class)
        .hasMessageContaining("42/likes")
        .hasMessageContaining("users");
    assertThat(store.read(USERS)).isZero();
  }

  @Test
  void loopingHooksEndTheTransactionAndUseOnlyTheirOwnThreads() {
    CountDownLatch end = new CountDownLatch(1);
    AtomicInteger looping = new AtomicInteger();
    Store store =
        open(
            Hooks.none()
                .withThreads(2)
                .withTimeout(SHORT)
                .preCommit(
                    "posts",
                    (update, snapshot) -> {
                      looping.getAndIncrement();
                      while (end.getCount() > 0) {
                        // It ignores interrupts.
                        Thread.onSpinWait();
                      }
                      return update;
                    }));
    try {
      List<String> notifications = new ArrayList<>();
      // A busy machine may start a thread too late.
      while (looping.get() < 2) {
        Throwable ended = catchThrowable(() -> store.update(LIKES.increment(1)));
        assertThat(ended)
            .isInstanceOf(HookTimeoutException.class)
            .hasMessageContaining("nothing was changed");
        notifications.add(String.valueOf(ended.getMessage()));
      }
      assertThat(notifications)
          .anyMatch(message -> message.contains("did not end within 200 milliseconds"));
      assertThatThrownBy(() -> store.update(LIKES.increment(1)))
          .isInstanceOf(HookTimeoutException.class)
          .hasMessageContaining("no free thread");

      store.update(USERS.increment(1));
      assertThat(store.read(List.of(LIKES, USERS)).get(LIKES)).isZero();
      assertThat(store.read(USERS)).isEqualTo(1);
      assertThat(store.status().hooks().timeouts()).isEqualTo(notifications.size() + 1);
      store.close();
    } finally {
      end.countDown();
    }
  }

  @Test
  void anInterruptedCallerRunsItsHookAndKeepsItsFlag() {
    Thread caller = Thread.currentThread();
    Store store =
        open(
            Hooks.none()
                .preCommit(
                    "posts",
                    (update, snapshot) -> {
                      while (caller.isInterrupted()) {
                        // It does not wait yet.
                        Thread.onSpinWait();
                      }
                      return doubled(update);
                    }));
    caller.interrupt();

    store.update(LIKES.increment(1));

    assertThat(Thread.interrupted()).isTrue();
    assertThat(store.read(LIKES)).isEqualTo(2);
  }

  @Test
  void notifiesAPostCommitHookOfDurableTransactions() throws InterruptedException {
    BlockingQueue<CommittedUpdates> notifications = new LinkedBlockingQueue<>();
    Store store =
        open(
            Hooks.none()
                .preCommit("posts", (update, snapshot) -> doubled(update))
                .postCommit("posts", notifications::add));
    CausalToken token;
    try (Transaction outer = store.begin()) {
      outer.update(LIKES.increment(1), USERS.increment(1));
      try (Transaction inner = outer.begin()) {
        inner.update(TAGS.add("taken back"));
      }
      outer.update(TAGS.add("kept"));
      token = outer.commit();
    }

    CommittedUpdates committed = next(notifications);

    assertThat(committed.token()).isEqualTo(token);
    assertThat(committed.updates().stream().map(Update::operation))
        .containsExactly(LIKES.increment(2).operation(), TAGS.add("kept").operation());
    assertThat(committed.snapshot().read(LIKES)).isEqualTo(2);

    CausalToken second = store.updateAsync(LIKES.increment(1)).toCompletableFuture().join();
    assertThat(next(notifications).token()).isEqualTo(second);
    store.run(tx -> assertThat(tx.read(LIKES)).isEqualTo(4));
    store.update(USERS.increment(1));
    store.close();
    assertThat(notifications).isEmpty();
  }

  private static CommittedUpdates next(BlockingQueue<CommittedUpdates> notifications)
      throws InterruptedException {
    CommittedUpdates next = notifications.poll(30, TimeUnit.SECONDS);
    assertThat(next).isNotNull();
    return next;
  }

  @Test
  void hooksSeeConditionalWritesAndSessionRequestsOnce() throws InterruptedException {
    BlockingQueue<CommittedUpdates> notifications = new LinkedBlockingQueue<>();
    Store store =
        open(
            Hooks.none()
                .preCommit("posts", (update, snapshot) -> doubled(update))
                .postCommit("posts", notifications::add));

    ConditionalResult written =
        store.compareAndUpdate(List.of(LIKES), found -> found.get(LIKES) == 0, LIKES.increment(1));
    ConditionalResult refused =
        store.compareAndUpdate(List.of(LIKES), found -> found.get(LIKES) == 0, LIKES.increment(1));
    CommittedUpdates conditional = next(notifications);

    assertThat(refused.isWritten()).isFalse();
    assertThat(conditional.token()).isEqualTo(written.token());
    assertThat(conditional.updates().stream().map(Update::operation))
        .containsExactly(LIKES.increment(2).operation());

    Session session = store.openSession();
    CausalToken token = session.update(1, LIKES.increment(1));
    assertThat(next(notifications).token()).isEqualTo(token);
    assertThat(session.update(1, LIKES.increment(1))).isEqualTo(token);
    assertThat(store.read(LIKES)).isEqualTo(4);
    store.close();
    assertThat(notifications).isEmpty();
  }

  @Test
  void doesNotNotifyOfRefusedOrAbortedTransactions() {
    AtomicInteger notifications = new AtomicInteger();
    Store store =
        open(Hooks.none().postCommit("posts", committed -> notifications.incrementAndGet()));

    assertThatThrownBy(
            () ->
                store.update(
                    LIKES.increment(1), Key.counter("posts", "42/tags").increment(), TAGS.add("a")))
        .isInstanceOf(TypeMismatchException.class);
    try (Transaction transaction = store.begin()) {
      transaction.update(LIKES.increment(1));
    }
    store.close();

    assertThat(notifications).hasValue(0);
  }

  @Test
  void countsAFailingPostCommitHookWhichAffectsNothing() throws InterruptedException {
    BlockingQueue<CommittedUpdates> notifications = new LinkedBlockingQueue<>();
    Store store =
        open(
            Hooks.none()
                .postCommit(
                    "posts",
                    committed -> {
                      throw new IllegalStateException("on purpose");
                    })
                .postCommit("posts", notifications::add));

    store.update(LIKES.increment(1));
    store.update(LIKES.increment(1));

    assertThat(next(notifications)).isNotNull();
    assertThat(next(notifications)).isNotNull();
    eventually(() -> store.status().hooks().failed() == 2);
    assertThat(store.read(LIKES)).isEqualTo(2);
  }

  @Test
  void interruptsASlowPostCommitHookAndNotTheNext() throws InterruptedException {
    BlockingQueue<CommittedUpdates> notifications = new LinkedBlockingQueue<>();
    CountDownLatch never = new CountDownLatch(1);
    Store store =
        open(
            Hooks.none()
                .withThreads(1)
                .withTimeout(SHORT)
                .postCommit(
                    "posts",
                    committed -> {
                      if (committed.snapshot().read(LIKES) == 1) {
                        never.await();
                      }
                      if (!Thread.currentThread().isInterrupted()) {
                        notifications.add(committed);
                      }
                    }));

    store.update(LIKES.increment(1));
    List<CausalToken> later = new ArrayList<>();
    CommittedUpdates next;
    // On a busy machine even a hook that does not wait may take too long.
    do {
      later.add(store.update(LIKES.increment(1)));
      next = notifications.poll(1, TimeUnit.SECONDS);
    } while (next == null);

    assertThat(later).contains(next.token());
    assertThat(store.status().hooks().interrupted()).isPositive();
    assertThat(store.status().hooks().failed()).isZero();
  }

  @Test
  void aFullNotificationQueueDropsNotificationsWithoutBlocking() throws InterruptedException {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    AtomicInteger notifications = new AtomicInteger();
    Store store =
        open(
            Hooks.none()
                .withThreads(1)
                .withQueue(2)
                .withTimeout(Duration.ofMinutes(1))
                .postCommit(
                    "posts",
                    committed -> {
                      begun.countDown();
                      end.await();
                      notifications.incrementAndGet();
                    }));
    store.update(LIKES.increment(1));
    assertThat(begun.await(1, TimeUnit.MINUTES)).isTrue();

    for (int i = 0; i < 5; i++) {
      store.update(LIKES.increment(1));
    }

    assertThat(store.status().hooks().dropped()).isEqualTo(3);
    end.countDown();
    store.close();
    assertThat(notifications).hasValue(3);
  }

  @Test
  void aHookStillReadsWhileTheStoreIsClosing() throws InterruptedException {
    BlockingQueue<Long> read = new LinkedBlockingQueue<>();
    CompletableFuture<Thread> closer = new CompletableFuture<>();
    Store store =
        open(
            Hooks.none()
                .withTimeout(Duration.ofMinutes(1))
                .postCommit(
                    "posts",
                    committed -> {
                      while (closer.join().getState() != Thread.State.TIMED_WAITING) {
                        Thread.onSpinWait();
                      }
                      read.add(committed.snapshot().read(LIKES));
                    }));
    store.update(LIKES.increment(1));
    Thread closing = new Thread(store::close);
    closing.start();
    closer.complete(closing);
    closing.join();

    assertThat(read).containsExactly(1L);
  }

  @Test
  void refusesInvalidSettings() {
    assertThatThrownBy(() -> Hooks.none().withTimeout(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Hooks.none().withThreads(0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Hooks.none().withQueue(0))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static void eventually(BooleanSupplier condition) {
    long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      Thread.onSpinWait();
    }
  }

  @Test
  void aHookMayUpdateObjectsWithHooksOnASingleThread() {
    Store[] store = new Store[1];
    store[0] =
        open(
            Hooks.none()
                .withThreads(1)
                .preCommit(
                    "posts",
                    (update, snapshot) -> {
                      store[0].update(USERS.increment());
                      return update;
                    })
                .preCommit("users", (update, snapshot) -> USERS.increment(10)));

    store[0].update(LIKES.increment());

    assertThat(store[0].read(LIKES)).isEqualTo(1);
    assertThat(store[0].read(USERS)).isEqualTo(10);
  }

  @Test
  void refusesEndlessRecursionOfAHook() {
    Store[] store = new Store[1];
    store[0] =
        open(
            Hooks.none()
                .withTimeout(Duration.ofMinutes(1))
                .preCommit(
                    "posts",
                    (update, snapshot) -> {
                      store[0].update(LIKES.increment());
                      return update;
                    }));

    assertThatThrownBy(() -> store[0].update(LIKES.increment()))
        .isInstanceOf(HookFailedException.class)
        .hasMessageContainingAll("posts", "16 nested calls");
    assertThat(store[0].read(LIKES)).isZero();
  }

  @Test
  void aTransactionThatAHookAbortedMayBeAborted() {
    Store store =
        open(
            Hooks.none()
                .preCommit(
                    "posts",
                    (update, snapshot) -> {
                      throw new IllegalArgumentException("no");
                    }));
    try (Transaction transaction = store.begin()) {
      Transaction nested = transaction.begin();
      assertThatThrownBy(() -> nested.update(LIKES.increment()))
          .isInstanceOf(HookFailedException.class);

      nested.abort();
      transaction.abort();

      assertThatThrownBy(nested::commit)
          .isInstanceOf(TransactionEndedException.class)
          .hasMessageContaining("a hook has refused an update");
      assertThatThrownBy(() -> transaction.update(USERS.increment()))
          .isInstanceOf(TransactionEndedException.class);
    }
  }

  /** If close waited for the hook, it would interrupt the hook. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void aPostCommitHookMayCloseTheStore(int threads) throws Exception {
    CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
    Store[] store = new Store[1];
    store[0] =
        open(
            Hooks.none()
                .withThreads(threads)
                .withTimeout(Duration.ofHours(1))
                .postCommit(
                    "posts",
                    committed -> {
                      store[0].close();
                      interrupted.complete(Thread.interrupted());
                    }));

    store[0].update(LIKES.increment());

    assertThat(interrupted.get()).isFalse();
    assertThatThrownBy(() -> store[0].read(LIKES)).isInstanceOf(StoreClosedException.class);
    assertThat(open(Hooks.none()).read(LIKES)).isEqualTo(1);
  }

  @Test
  void aPreCommitHookMayCloseTheStore() {
    Store[] store = new Store[1];
    store[0] =
        open(
            Hooks.none()
                .preCommit(
                    "posts",
                    (update, snapshot) -> {
                      store[0].close();
                      return update;
                    }));

    assertThatThrownBy(() -> store[0].update(LIKES.increment()))
        .isInstanceOf(StoreClosedException.class);
    assertThat(open(Hooks.none()).read(LIKES)).isZero();
  }
}
