package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.OperationRefusedException;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.HookFailedException;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.error.RequestMismatchException;
import io.github.stablecut.error.SessionExpiredException;
import io.github.stablecut.error.StaleRequestException;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.BoundedCounterKey;
import io.github.stablecut.key.Condition;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.key.TextKey;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.option.Timeouts;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A session's request is executed once, however often it is sent. */
class SessionTest {
  private static final CounterKey FIRST = Key.counter("b", "first");
  private static final CounterKey SECOND = Key.counter("b", "second");
  private static final CounterKey THIRD = Key.counter("b", "third");

  @TempDir Path directory;

  private volatile Instant now = Instant.now();

  private Store open(int partitions) {
    return Stablecut.open(
        directory,
        StoreOptions.defaults()
            .withPartitions(partitions)
            .withCheckpoints(CheckpointPolicy.byCall().withRetention(Duration.ZERO))
            .withClock(() -> now)
            .withMaxClockJump(Duration.ofDays(400))
            .withLimits(StoreOptions.Limits.defaults().withSegmentBytes(1 << 20))
            .withTimeouts(Timeouts.defaults().withSession(Duration.ofHours(2))));
  }

  private static Update[] updates() {
    return List.of(FIRST.increment(), SECOND.increment(), THIRD.increment()).toArray(Update[]::new);
  }

  /** One partition commits in one phase, five in two. */
  @ParameterizedTest
  @ValueSource(ints = {1, 5})
  void aRepeatedRequestHasTheFirstAnswerAlsoAfterReopeningAndCheckpoints(int partitions) {
    SessionId id;
    CausalToken token;
    try (Store store = open(partitions)) {
      Session session = store.openSession();
      id = session.id();
      token = session.update(1, updates());
      assertThat(session.update(1, updates())).isEqualTo(token);
      assertThat(session.token()).isEqualTo(token);
      checkValues(store, 1);
    }
    try (Store store = open(partitions)) {
      assertThat(store.session(id).update(1, updates())).isEqualTo(token);
      checkValues(store, 1);
      truncate(store);
      assertThat(store.session(id).update(1, updates())).isEqualTo(token);
    }
    try (Store store = open(partitions)) {
      Session session = store.session(SessionId.parse(id.toString()));
      assertThat(session.update(1, updates())).isEqualTo(token);
      session.update(2, updates());
      checkValues(store, 2);
    }
  }

  /** Makes each partition drop the segments of its first records. */
  private static void truncate(Store store) {
    RegisterKey<Bytes> large = Key.register("b", "large", Codec.bytes());
    int first = store.status().journal().firstSegment();
    while (store.status().journal().firstSegment() < first + 2) {
      for (int key = 0; key < 100; key++) {
        store.update(
            Key.register("b", "large" + key, Codec.bytes()).assign(Bytes.wrap(new byte[1 << 16])),
            large.assign(Bytes.wrap(new byte[1])));
      }
      store.checkpoint();
    }
  }

  private static void checkValues(Store store, long value) {
    for (CounterKey key : List.of(FIRST, SECOND, THIRD)) {
      assertThat(store.read(key)).isEqualTo(value);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 5})
  void refusesAnEarlierRequest(int partitions) {
    try (Store store = open(partitions)) {
      Session session = store.openSession();
      session.update(7, updates());
      assertThatThrownBy(() -> session.update(6, updates()))
          .isInstanceOf(StaleRequestException.class)
          .hasMessageContainingAll("request 6", "request 7");
      assertThatThrownBy(() -> session.update(0, updates()))
          .isInstanceOf(IllegalArgumentException.class);
      checkValues(store, 1);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 5})
  void refusesAnExpiredSessionAndExecutesNothingAgain(int partitions) {
    try (Store store = open(partitions)) {
      Session session = store.openSession();
      session.update(1, updates());
      now = now.plus(Duration.ofHours(3));
      assertThatThrownBy(() -> session.update(1, updates()))
          .isInstanceOf(SessionExpiredException.class)
          .hasMessageContainingAll("2 hours", "open another");
      // Even if the machine's clock goes back afterwards: time has passed.
      now = now.minus(Duration.ofHours(3));
      assertThatThrownBy(() -> session.update(1, updates()))
          .isInstanceOf(SessionExpiredException.class);
      checkValues(store, 1);
      store.openSession().update(1, updates());
      checkValues(store, 2);
    }
  }

  /** All partitions have the same share of the heap, and here one gets all requests. */
  @Test
  void refusesSessionsAboveTheHeapLimitAndChangesNothing() {
    int partitions = 64;
    long most = Runtime.getRuntime().maxMemory() / 8 / partitions / 250;
    try (Store store = open(partitions)) {
      Session first = store.openSession();
      CausalToken token = first.update(1, FIRST.increment());
      Optional<LimitExceededException> refused = Optional.empty();
      long executed = 1;
      while (refused.isEmpty()) {
        try {
          store.openSession().update(1, FIRST.increment());
          executed++;
          assertThat(executed).isLessThanOrEqualTo(Math.max(1_000, most));
        } catch (LimitExceededException e) {
          refused = Optional.of(e);
        }
      }

      assertThat(refused.get()).hasMessageContaining("%,d sessions".formatted(executed));
      assertThat(first.update(1, FIRST.increment())).isEqualTo(token);
      first.update(2, FIRST.increment());
      assertThat(store.read(FIRST)).isEqualTo(executed + 1);

      now = now.plus(Duration.ofHours(3));
      store.openSession().update(1, FIRST.increment());
      assertThat(store.read(FIRST)).isEqualTo(executed + 2);
    }
  }

  /** The last item is taken, so the original updates can't execute on the remaining state. */
  @ParameterizedTest
  @ValueSource(ints = {1, 5})
  void aRepeatedRequestHasTheFirstAnswerThoughItsUpdatesWouldBeRefusedNow(int partitions) {
    BoundedCounterKey stock = Key.boundedCounter("b", "stock");
    TextKey text = Key.text("b", "text");
    Update[] updates =
        List.of(stock.decrement(3), FIRST.increment(), SECOND.increment(), text.delete(0, 3))
            .toArray(Update[]::new);
    SessionId id;
    CausalToken token;
    try (Store store = open(partitions)) {
      store.update(stock.increment(3), text.insert(0, "abc"));
      Session session = store.openSession();
      id = session.id();
      token = session.update(1, updates);

      assertThat(session.update(1, updates)).isEqualTo(token);
    }
    try (Store store = open(partitions)) {
      Session session = store.session(id);
      assertThat(session.update(1, updates)).isEqualTo(token);
      assertThatThrownBy(() -> session.update(2, updates))
          .isInstanceOf(OperationRefusedException.class);
      session.update(
          2, stock.increment(1), FIRST.increment(), SECOND.increment(), text.insert(0, "d"));
      assertThatThrownBy(() -> session.update(1, updates))
          .isInstanceOf(StaleRequestException.class);
      assertThat(store.read(FIRST)).isEqualTo(2);
      assertThat(store.read(stock)).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 5})
  void aRepeatedRequestHasTheFirstAnswerThoughAHookWouldRefuseItNow(int partitions) {
    Hooks onlyOnce =
        Hooks.none()
            .preCommit(
                "b",
                (update, snapshot) -> {
                  if (snapshot.read(FIRST) > 0) {
                    throw new IllegalStateException("taken already");
                  }
                  return update;
                });
    try (Store store =
        Stablecut.open(
            directory, StoreOptions.defaults().withPartitions(partitions).withHooks(onlyOnce))) {
      Session session = store.openSession();
      CausalToken token = session.update(1, updates());

      assertThat(session.update(1, updates())).isEqualTo(token);
      assertThatThrownBy(() -> session.update(2, updates()))
          .isInstanceOf(HookFailedException.class);
      checkValues(store, 1);
    }
  }

  private static Update[] otherUpdates() {
    return List.of(FIRST.increment(), SECOND.increment(), THIRD.increment(2))
        .toArray(Update[]::new);
  }

  private static void checkRefused(Session session, Update... other) {
    assertThatThrownBy(() -> session.update(1, other))
        .isInstanceOf(RequestMismatchException.class)
        .hasMessageContainingAll("request 1", "other updates");
  }

  /** Also after the segment of the request was dropped and its digest was rewritten. */
  @ParameterizedTest
  @ValueSource(ints = {1, 5})
  void refusesARepeatedNumberWithOtherUpdates(int partitions) {
    SessionId id;
    CausalToken token;
    try (Store store = open(partitions)) {
      Session session = store.openSession();
      id = session.id();
      token = session.update(1, updates());
      checkRefused(session, otherUpdates());
      checkRefused(store.session(id), otherUpdates());
      checkRefused(store.session(id), THIRD.increment(), SECOND.increment(), FIRST.increment());
      checkRefused(
          store.session(id),
          Key.resettableCounter("b", "first").increment(),
          SECOND.increment(),
          THIRD.increment());
    }
    try (Store store = open(partitions)) {
      checkRefused(store.session(id), otherUpdates());
      truncate(store);
      checkRefused(store.session(id), otherUpdates());
    }
    try (Store store = open(partitions)) {
      checkRefused(store.session(id), otherUpdates());
      assertThat(store.session(id).update(1, updates())).isEqualTo(token);
      checkValues(store, 1);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 5})
  void refusesInvalidOtherUpdatesAsOtherUpdates(int partitions) {
    BoundedCounterKey stock = Key.boundedCounter("b", "stock");
    try (Store store = open(partitions)) {
      store.update(stock.increment(3));
      Session session = store.openSession();
      session.update(1, stock.decrement(3));

      checkRefused(store.session(session.id()), stock.decrement(2));
      assertThat(store.read(stock)).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 5})
  void refusesOtherConditionalUpdatesWhetherTheConditionHoldsOrNot(int partitions) {
    try (Store store = open(partitions)) {
      Session session = store.openSession();
      assertThat(session.updateIf(1, Condition.atMost(FIRST, 0), FIRST.increment())).isPresent();

      for (Condition condition : List.of(Condition.atMost(FIRST, 0), Condition.atLeast(FIRST, 1))) {
        assertThatThrownBy(
                () -> store.session(session.id()).updateIf(1, condition, FIRST.increment(2)))
            .isInstanceOf(RequestMismatchException.class);
      }
      assertThat(store.read(FIRST)).isOne();
    }
  }

  /** The partition of the other objects does not know the first request; the session does. */
  @Test
  void theSessionRefusesOtherObjectsUnderTheSameNumber() {
    try (Store store = open(5)) {
      Session session = store.openSession();
      session.update(1, FIRST.increment());
      for (int i = 0; i < 20; i++) {
        checkRefused(session, Key.counter("b", "other" + i).increment());
      }
      assertThat(store.read(Key.counter("b", "other0"))).isZero();
    }
  }

  @Test
  void aRefusedRequestMayBeCorrectedUnderTheSameNumber() {
    BoundedCounterKey stock = Key.boundedCounter("b", "stock");
    try (Store store = open(1)) {
      Session session = store.openSession();
      assertThatThrownBy(() -> session.update(1, stock.decrement(3)))
          .isInstanceOf(OperationRefusedException.class);

      session.update(1, stock.increment(3));

      assertThat(store.read(stock)).isEqualTo(3);
    }
  }

  /** Elements of a set have a canonical order, whatever the order of the request. */
  @Test
  void theOrderOfElementsDoesNotMakeOtherUpdates() {
    AddWinsSetKey<String> set = Key.addWinsSet("b", "set", Codec.string());
    try (Store store = open(1)) {
      Session session = store.openSession();
      CausalToken token = session.update(1, set.addAll(List.of("x", "y", "z")));

      assertThat(session.update(1, set.addAll(List.of("z", "x", "y")))).isEqualTo(token);
    }
  }

  @Test
  void aNameRoundTrips() {
    SessionId own = SessionId.create(now);
    SessionId issued = own.issued(-7, Bytes.wrap(new byte[SessionId.SIGNATURE_BYTES]));

    assertThat(SessionId.parse(own.toString())).isEqualTo(own);
    assertThat(SessionId.parse(issued.toString())).isEqualTo(issued);
    assertThat(own.signature()).isEqualTo(Bytes.EMPTY);
    assertThatThrownBy(() -> own.issued(1, Bytes.wrap(new byte[8])))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("16 bytes, not 8");
  }

  @Test
  void sessionsAreIndependent() {
    try (Store store = open(1)) {
      store.openSession().update(1, FIRST.increment());
      store.openSession().update(1, FIRST.increment());
      assertThat(store.read(FIRST)).isEqualTo(2);
    }
  }

  @Test
  void refusesAnInvalidName() {
    assertThatThrownBy(() -> SessionId.parse("0123"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("0123");
    assertThatThrownBy(() -> SessionId.parse("0123456789abcdef-0123456789abcdeg"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void refusesASessionFromTheFuture() {
    try (Store store = open(1)) {
      SessionId ahead = SessionId.create(now.plus(Duration.ofHours(3)));

      assertThatThrownBy(() -> store.session(ahead).update(1, FIRST.increment()))
          .isInstanceOf(SessionExpiredException.class)
          .hasMessageContaining("further in the future than a session lives");
      // The clock of another node may be slightly ahead.
      SessionId other = SessionId.create(now.plus(Duration.ofSeconds(3)));
      assertThat(store.session(other).update(1, FIRST.increment())).isNotNull();
      assertThat(store.read(FIRST)).isOne();
    }
  }
}
