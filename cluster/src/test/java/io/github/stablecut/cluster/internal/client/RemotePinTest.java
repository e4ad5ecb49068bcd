package io.github.stablecut.cluster.internal.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.Pin;
import io.github.stablecut.Stablecut;
import io.github.stablecut.client.ServerBusyException;
import io.github.stablecut.cluster.Eventually;
import io.github.stablecut.cluster.ScriptedServer;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.cluster.internal.call.Call;
import io.github.stablecut.cluster.internal.call.CallFailures;
import io.github.stablecut.crdt.Bytes;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A pin whose server has lost it in a restart, or does not answer. */
class RemotePinTest {
  private final AtomicInteger held = new AtomicInteger();
  private volatile Bytes forgotten = Bytes.EMPTY;
  private final List<Call> unanswered = new CopyOnWriteArrayList<>();
  private volatile boolean isFrozen;
  private volatile boolean isBusy;

  private Optional<Answer> answer(Call call) {
    if (isFrozen) {
      unanswered.add(call);
      return Optional.empty();
    }
    if (call instanceof Call.OpenPoint hold) {
      return Optional.of(
          new Answer.OpenedHandle(Bytes.utf8("pin " + held.incrementAndGet()), hold.point()));
    }
    if (isBusy && call instanceof Call.Renew) {
      return Optional.of(CallFailures.of(new ServerBusyException("not now", null)));
    }
    if (call instanceof Call.Renew renew) {
      return Optional.of(
          new Answer.Renewed(renew.descriptors().stream().filter(forgotten::equals).toList()));
    }
    return Optional.of(ScriptedServer.usual(call));
  }

  @Test
  void recreatesAPinThatItsServerDoesNotKnow() throws Exception {
    try (ScriptedServer server = new ScriptedServer(this::answer);
        RemoteStore store =
            (RemoteStore)
                Stablecut.connect("stablecut://127.0.0.1:" + server.address().getPort())) {
      Pin pin = store.pin(ScriptedServer.point(1));
      store.keepAlive().renewAll();
      Eventually.holds("it is renewed", () -> !server.calls(Call.Renew.class).isEmpty());
      assertThat(held).hasValue(1);
      forgotten = Bytes.utf8("pin 1");

      Eventually.holds(
          "it is recreated",
          () -> {
            store.keepAlive().renewAll();
            return server.calls(Call.OpenPoint.class).size() == 2;
          });

      assertThat(server.calls(Call.OpenPoint.class))
          .extracting(Call.OpenPoint::point)
          .containsOnly(pin.token());
      pin.close();
      assertThat(server.calls(Call.Close.class))
          .extracting(Call.Close::descriptor)
          .isEqualTo(List.of(Bytes.utf8("pin 2")));
    }
  }

  @Test
  void movesAllPinsOfASilentServerToAnotherWithoutWaiting() throws Exception {
    List<Answer> heldByOther = new CopyOnWriteArrayList<>();
    try (ScriptedServer silent = new ScriptedServer(this::answer);
        ScriptedServer other =
            new ScriptedServer(
                call -> {
                  Optional<Answer> answer =
                      call instanceof Call.OpenPoint hold
                          ? Optional.of(
                              new Answer.OpenedHandle(Bytes.utf8("other's"), hold.point()))
                          : Optional.of(ScriptedServer.usual(call));
                  answer.filter(Answer.OpenedHandle.class::isInstance).ifPresent(heldByOther::add);
                  return answer;
                });
        RemoteStore store =
            (RemoteStore)
                Stablecut.connect(
                    "stablecut://127.0.0.1:%d,127.0.0.1:%d?timeout=1"
                        .formatted(silent.address().getPort(), other.address().getPort()))) {
      List<Pin> pins = List.of(pin(store), pin(store), pin(store));
      assertThat(held).hasValue(pins.size());
      isFrozen = true;

      store.keepAlive().renewAll();

      Eventually.holds("the other server holds them", () -> heldByOther.size() == pins.size());
      assertThat(silent.calls(Call.Close.class)).isEmpty();
      assertThat(silent.calls(Call.OpenPoint.class)).hasSize(pins.size());
    }
  }

  private Stream<Call> renewals(int of) {
    return unanswered.stream()
        .filter(call -> call instanceof Call.Renew renew && renew.descriptors().size() == of);
  }

  private static Pin pin(RemoteStore store) {
    return store.pin(ScriptedServer.point(1));
  }

  @Test
  void aBusyServerKeepsItsPins() throws Exception {
    try (ScriptedServer server = new ScriptedServer(this::answer);
        RemoteStore store =
            (RemoteStore)
                Stablecut.connect("stablecut://127.0.0.1:" + server.address().getPort())) {
      isBusy = true;
      Pin pin = pin(store);

      Eventually.holds(
          "it is renewed twice",
          () -> {
            store.keepAlive().renewAll();
            return server.calls(Call.Renew.class).size() > 1;
          });

      assertThat(server.calls(Call.OpenPoint.class)).hasSize(1);
      pin.close();
    }
  }

  @Test
  void detectsOnceForAllPinsThatNoServerAnswers() throws Exception {
    try (ScriptedServer server = new ScriptedServer(this::answer);
        RemoteStore store =
            (RemoteStore)
                Stablecut.connect(
                    "stablecut://127.0.0.1:" + server.address().getPort() + "?timeout=1")) {
      List<Pin> pins = List.of(pin(store), pin(store), pin(store));
      isFrozen = true;

      Eventually.holds(
          "it is renewed again",
          () -> {
            store.keepAlive().renewAll();
            return renewals(pins.size()).count() > 1;
          });

      Call second = renewals(pins.size()).skip(1).findFirst().orElseThrow();
      assertThat(unanswered.stream().takeWhile(call -> call != second))
          .filteredOn(Call.OpenPoint.class::isInstance)
          .as("one pin is tried, twice")
          .hasSizeLessThanOrEqualTo(2);
    }
  }
}
