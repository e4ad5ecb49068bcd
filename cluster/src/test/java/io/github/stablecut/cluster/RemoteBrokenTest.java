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

/** What a client has open when connections break off, and the server perhaps goes on. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RemoteBrokenTest {
  private static final CounterKey OBJECT = Key.counter("b", "k");

  private final AtomicInteger opened = new AtomicInteger();
  private final AtomicInteger taken = new AtomicInteger();

  /** How many watches may be opened, counted from the beginning, before one is refused. */
  private volatile int refused = -1;

  /** Whether only what begins something is answered. */
  private volatile boolean isCut;

  /** Of a server whose connections break off when the first part of a watch is taken. */
  private Optional<Answer> answer(Call call) {
    if (call instanceof Call.OpenWatch) {
      int number = opened.getAndIncrement();
      return Optional.of(
          number == refused
              ? CallFailures.of(new LimitExceededException("injected: too many watches"))
              : new Answer.Begun(Bytes.utf8("watch " + number), ScriptedServer.point(0)));
    } else if (call instanceof Call.Take) {
      if (taken.getAndIncrement() == 0) {
        throw ScriptedServer.brokenOff();
      }
      Answer.Named object = new Answer.Named(OBJECT.id(), OBJECT.type(), List.of());
      Answer.Told told =
          new Answer.Told(ScriptedServer.point(0), ScriptedServer.point(0), List.of(object));
      return Optional.of(new Answer.Changes(List.of(told), ScriptedServer.point(0)));
    } else if (call instanceof Call.Begin || call instanceof Call.Hold) {
      return Optional.of(new Answer.Begun(Bytes.utf8("held"), ScriptedServer.point(0)));
    } else if (!isCut) {
      return Optional.of(ScriptedServer.usual(call));
    } else if (call instanceof Call.End || call instanceof Call.LetGo) {
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
  void closingEndsTheCallsThatAreUnderWay() throws Exception {
    CountDownLatch isAsked = new CountDownLatch(1);
    try (ScriptedServer server =
        new ScriptedServer(
            call -> {
              if (call instanceof Call.Read) {
                isAsked.countDown();
                return Optional.empty();
              }
              return Optional.of(ScriptedServer.usual(call));
            })) {
      Store store = connect(server, 3_600);
      CompletableFuture<Long> read = CompletableFuture.supplyAsync(() -> store.read(OBJECT));
      isAsked.await();
      store.close();

      assertThatThrownBy(read::join).hasCauseInstanceOf(StoreClosedException.class);
    }
  }

  @Test
  void aServerThatIsAliveIsToldOfTheWatchWhoseConnectionHasBrokenOff() throws Exception {
    try (ScriptedServer server = new ScriptedServer(this::answer);
        Store store = connect(server, 600);
        Watch watch = store.watch("b", "", WatchOptions.fromNow())) {
      assertThat(watch.next().objects()).isEqualTo(List.of(OBJECT));

      Eventually.holds("it is told", () -> !server.calls(Call.LetGo.class).isEmpty());
      assertThat(server.calls(Call.LetGo.class))
          .extracting(Call.LetGo::descriptor)
          .containsExactly(Bytes.utf8("watch 0"));
    }
  }

  @Test
  void aWatchThatBeginsAgainWaitsForThePlacesOfThoseThatHaveBrokenOff() throws Exception {
    refused = 1;
    try (ScriptedServer server = new ScriptedServer(this::answer);
        Store store = connect(server, 600);
        Watch watch = store.watch("b", "", WatchOptions.fromNow())) {
      assertThat(watch.next().objects()).isEqualTo(List.of(OBJECT));
    }
  }

  @Test
  void aWatchThatIsOneTooManyFromTheBeginningSaysSo() throws Exception {
    refused = 0;
    try (ScriptedServer server = new ScriptedServer(this::answer);
        Store store = connect(server, 600)) {
      assertThatThrownBy(() -> store.watch("b", "", WatchOptions.fromNow()))
          .isInstanceOf(LimitExceededException.class);
    }
  }

  @Test
  void aWatchWhoseServerIsGoneSaysSoHoweverShortItIsAsked() throws Exception {
    ScriptedServer server = new ScriptedServer(this::answer);
    // In less time nothing may be answered on a busy machine, though the server is there.
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
  void aCallThatFoundNoServerCanBeRepeatedOnTheSameStore() throws Exception {
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
  void theEndOfATransactionWaitsForNobodyWhoWasFoundToBeAway() throws Exception {
    try (ScriptedServer server = new ScriptedServer(this::answer);
        Store store = connect(server, 600)) {
      isCut = true;
      try (Transaction transaction = store.begin()) {
        assertThatThrownBy(() -> transaction.read(OBJECT))
            .isInstanceOf(ServerUnavailableException.class);
      }

      Eventually.holds("it is told", () -> !server.calls(Call.End.class).isEmpty());
    }
  }

  @Test
  void theEndOfAPinWaitsForNobodyWhoWasFoundToBeAway() throws Exception {
    try (ScriptedServer server = new ScriptedServer(this::answer);
        Store store = connect(server, 600)) {
      Pin pin = store.pin(ScriptedServer.point(0));
      isCut = true;
      assertThatThrownBy(() -> store.read(OBJECT)).isInstanceOf(ServerUnavailableException.class);

      pin.close();

      Eventually.holds("it is told", () -> !server.calls(Call.LetGo.class).isEmpty());
    }
  }
}
