package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.Pin;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.Transaction;
import io.github.stablecut.Watch;
import io.github.stablecut.client.ServerUnavailableException;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.cluster.internal.call.Call;
import io.github.stablecut.cluster.internal.call.CallFailures;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.error.RetryException;
import io.github.stablecut.error.StoreClosedException;
import io.github.stablecut.error.UnavailableException;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.WatchOptions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A client's open handles survive or fail correctly when connections break and the server may
 * continue.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RemoteBrokenTest {
  private static final CounterKey OBJECT = Key.counter("b", "k");

  private final AtomicInteger opened = new AtomicInteger();
  private final AtomicInteger taken = new AtomicInteger();

  /**
   * The number of watches that may be opened, counted from the beginning, before one is refused.
   */
  private volatile int refused = -1;

  /** Whether only calls that open something are answered. */
  private volatile boolean isCut;

  /** Answers as a server whose connections break when the first part of a watch is read. */
  private Optional<Answer> answer(Call call) {
    if (call instanceof Call.OpenWatch) {
      int number = opened.getAndIncrement();
      return Optional.of(
          number == refused
              ? CallFailures.of(new LimitExceededException("injected: too many watches"))
              : new Answer.OpenedHandle(Bytes.utf8("watch " + number), ScriptedServer.point(0)));
    } else if (call instanceof Call.Take) {
      if (taken.getAndIncrement() == 0) {
        throw ScriptedServer.brokenOff();
      }
      Answer.ChangedObject object = new Answer.ChangedObject(OBJECT.id(), OBJECT.type(), List.of());
      Answer.Change change =
          new Answer.Change(ScriptedServer.point(0), ScriptedServer.point(0), List.of(object));
      return Optional.of(new Answer.Changes(List.of(change), ScriptedServer.point(0)));
    } else if (call instanceof Call.Begin || call instanceof Call.OpenPoint) {
      return Optional.of(new Answer.OpenedHandle(Bytes.utf8("held"), ScriptedServer.point(0)));
    } else if (!isCut) {
      return Optional.of(ScriptedServer.usual(call));
    } else if (call instanceof Call.End || call instanceof Call.Close) {
      return Optional.empty();
    }
    throw ScriptedServer.brokenOff();
  }

  private static Store connect(ScriptedServer server, int timeoutSeconds) {
    return Stablecut.connect(
        "stablecut://127.0.0.1:%d?timeout=%d"
            .formatted(server.address().getPort(), timeoutSeconds));
  }

  @Test
  void closingEndsInFlightCalls() throws Exception {
    CountDownLatch isRequested = new CountDownLatch(1);
    try (ScriptedServer server =
        new ScriptedServer(
            call -> {
              if (call instanceof Call.Read) {
                isRequested.countDown();
                return Optional.empty();
              }
              return Optional.of(ScriptedServer.usual(call));
            })) {
      Store store = connect(server, 3_600);
      CompletableFuture<Long> read = CompletableFuture.supplyAsync(() -> store.read(OBJECT));
      isRequested.await();
      store.close();

      assertThatThrownBy(read::join).hasCauseInstanceOf(StoreClosedException.class);
    }
  }

  @Test
  void releasesTheWatchOfABrokenConnectionAtALiveServer() throws Exception {
    try (ScriptedServer server = new ScriptedServer(this::answer);
        Store store = connect(server, 600);
        Watch watch = store.watch("b", "", WatchOptions.fromNow())) {
      assertThat(watch.next().objects()).isEqualTo(List.of(OBJECT));

      Eventually.holds("the watch is released", () -> !server.calls(Call.Close.class).isEmpty());
      assertThat(server.calls(Call.Close.class))
          .extracting(Call.Close::descriptor)
          .containsExactly(Bytes.utf8("watch 0"));
    }
  }

  @Test
  void aResumingWatchWaitsUntilBrokenWatchesAreReleased() throws Exception {
    refused = 1;
    try (ScriptedServer server = new ScriptedServer(this::answer);
        Store store = connect(server, 600);
        Watch watch = store.watch("b", "", WatchOptions.fromNow())) {
      assertThat(watch.next().objects()).isEqualTo(List.of(OBJECT));
    }
  }

  @Test
  void refusesAWatchAboveTheLimit() throws Exception {
    refused = 0;
    try (ScriptedServer server = new ScriptedServer(this::answer);
        Store store = connect(server, 600)) {
      assertThatThrownBy(() -> store.watch("b", "", WatchOptions.fromNow()))
          .isInstanceOf(LimitExceededException.class);
    }
  }

  @Test
  void aWatchReportsADeadServerDespiteShortPolls() throws Exception {
    ScriptedServer server = new ScriptedServer(this::answer);
    // With less time, a busy machine may answer nothing although the server is up.
    try (Store store = connect(server, 5);
        Watch watch = store.watch("b", "", WatchOptions.fromNow())) {
      server.close();

      assertThatThrownBy(
              () -> {
                while (watch.poll(Duration.ofMillis(1)).isEmpty()) {
                  // Nothing yet.
                }
              })
          .isInstanceOf(ServerUnavailableException.class);
    }
  }

  @Test
  void aCallWithoutAServerCanBeRepeatedOnTheSameStore() throws Exception {
    try (ScriptedServer server = new ScriptedServer(this::answer);
        Store store = connect(server, 600)) {
      isCut = true;
      assertThatThrownBy(store::checkpoint)
          .isInstanceOf(ServerUnavailableException.class)
          .isInstanceOf(UnavailableException.class)
          .isInstanceOf(RetryException.class);
      isCut = false;

      assertThatCode(store::checkpoint).doesNotThrowAnyException();
    }
  }

  @Test
  void endingATransactionDoesNotWaitForADeadServer() throws Exception {
    try (ScriptedServer server = new ScriptedServer(this::answer);
        Store store = connect(server, 600)) {
      isCut = true;
      try (Transaction transaction = store.begin()) {
        assertThatThrownBy(() -> transaction.read(OBJECT))
            .isInstanceOf(ServerUnavailableException.class);
      }

      Eventually.holds("the watch is released", () -> !server.calls(Call.End.class).isEmpty());
    }
  }

  @Test
  void closingAPinDoesNotWaitForADeadServer() throws Exception {
    try (ScriptedServer server = new ScriptedServer(this::answer);
        Store store = connect(server, 600)) {
      Pin pin = store.pin(ScriptedServer.point(0));
      isCut = true;
      assertThatThrownBy(() -> store.read(OBJECT)).isInstanceOf(ServerUnavailableException.class);

      pin.close();

      Eventually.holds("the watch is released", () -> !server.calls(Call.Close.class).isEmpty());
    }
  }
}
