package io.github.stablecut.cluster.internal.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.Pin;
import io.github.stablecut.Stablecut;
import io.github.stablecut.cluster.Eventually;
import io.github.stablecut.cluster.ScriptedServer;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.cluster.internal.call.Call;
import io.github.stablecut.crdt.Bytes;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A pin that its server has forgotten, because it was started again. */
class RemotePinTest {
  private final AtomicInteger held = new AtomicInteger();
  private volatile Bytes forgotten = Bytes.EMPTY;

  private Optional<Answer> answer(Call call) {
    if (call instanceof Call.Hold hold) {
      return Optional.of(
          new Answer.Begun(Bytes.utf8("pin " + held.incrementAndGet()), hold.point()));
    }
    if (call instanceof Call.Renew renew) {
      return Optional.of(
          new Answer.Renewed(renew.descriptors().stream().filter(forgotten::equals).toList()));
    }
    return Optional.of(ScriptedServer.usual(call));
  }

  @Test
  void aPinThatItsServerDoesNotKnowIsMadeAgain() throws Exception {
    try (ScriptedServer server = new ScriptedServer(this::answer);
        RemoteStore store =
            (RemoteStore)
                Stablecut.connect("stablecut://127.0.0.1:" + server.address().getPort())) {
      Pin pin = store.pin(ScriptedServer.point(1));
      store.keepAlive().tellAll();
      Eventually.holds("it is renewed", () -> !server.calls(Call.Renew.class).isEmpty());
      assertThat(held).hasValue(1);
      forgotten = Bytes.utf8("pin 1");

      Eventually.holds(
          "it is made again",
          () -> {
            store.keepAlive().tellAll();
            return !server.calls(Call.LetGo.class).isEmpty();
          });

      assertThat(server.calls(Call.Hold.class))
          .extracting(Call.Hold::point)
          .containsOnly(pin.token());
      pin.close();
      assertThat(server.calls(Call.LetGo.class))
          .extracting(Call.LetGo::descriptor)
          .isEqualTo(List.of(Bytes.utf8("pin 1"), Bytes.utf8("pin 2")));
    }
  }
}
