package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Session;
import io.github.stablecut.SessionId;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.client.ServerBusyException;
import io.github.stablecut.client.ServerUnavailableException;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.cluster.internal.call.Call;
import io.github.stablecut.cluster.internal.call.CallFailures;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.StoreClosedException;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.ScanOptions;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The calls that a client retries at another server when an answer is lost. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
final class RemoteRepetitionTest {
  private final AtomicInteger requests = new AtomicInteger();

  private static String uri(ScriptedServer first, ScriptedServer second) {
    return "stablecut://127.0.0.1:%d,127.0.0.1:%d?timeout=5"
        .formatted(first.address().getPort(), second.address().getPort());
  }

  /** Deletes a range at the first of two servers, which fails. */
  private static void delete(
      ScanOptions range, Supplier<Answer> first, Class<? extends StablecutException> failure)
      throws Exception {
    try (ScriptedServer going = new ScriptedServer(call -> Optional.of(answer(call, first)));
        ScriptedServer other =
            new ScriptedServer(
                call ->
                    Optional.of(
                        answer(call, () -> new Answer.Deleted(10, 0, ScriptedServer.point(0)))));
        Store store = Stablecut.connect(uri(going, other))) {
      assertThatThrownBy(() -> store.deleteRange(range)).isInstanceOf(failure);

      assertThat(going.calls(Call.Delete.class)).hasSize(1);
      assertThat(other.calls(Call.Delete.class)).isEmpty();
    }
  }

  private static Answer answer(Call call, Supplier<Answer> deleted) {
    return call instanceof Call.Delete ? deleted.get() : ScriptedServer.usual(call);
  }

  private static Answer lost() {
    throw ScriptedServer.brokenOff();
  }

  private static Answer stopped() {
    return CallFailures.of(new StoreClosedException("injected: the server is stopping"));
  }

  @Test
  void doesNotRetryALimitedDeletion() throws Exception {
    ScanOptions range = ScanOptions.bucket("jobs").limit(10);

    delete(range, RemoteRepetitionTest::lost, OutcomeUnknownException.class);
    delete(range, RemoteRepetitionTest::stopped, ServerUnavailableException.class);
  }

  @Test
  void doesNotRetryAnUnlimitedDeletion() throws Exception {
    ScanOptions range = ScanOptions.bucket("jobs");

    delete(range, RemoteRepetitionTest::lost, OutcomeUnknownException.class);
    delete(range, RemoteRepetitionTest::stopped, ServerUnavailableException.class);
  }

  /** A server that is stopping has executed nothing of it. */
  @Test
  void sendsARefusedUpdateToAnotherServer() throws Exception {
    try (ScriptedServer going =
            new ScriptedServer(
                call ->
                    Optional.of(
                        call instanceof Call.Write ? stopped() : ScriptedServer.usual(call)));
        ScriptedServer other =
            new ScriptedServer(
                call ->
                    Optional.of(
                        call instanceof Call.Write
                            ? new Answer.Point(ScriptedServer.point(3))
                            : ScriptedServer.usual(call)));
        Store store = Stablecut.connect(uri(going, other))) {
      CausalToken token = store.update(Key.counter("b", "k").increment());

      assertThat(token).isEqualTo(ScriptedServer.point(3));
      assertThat(going.calls(Call.Write.class)).hasSize(1);
      assertThat(other.calls(Call.Write.class)).hasSize(1);
    }
  }

  /** Sends a session request to two servers, the first of which answers as given. */
  private CausalToken update(Function<Call, Optional<Answer>> first) throws Exception {
    try (ScriptedServer lost = new ScriptedServer(first);
        ScriptedServer other = new ScriptedServer(this::busyAtFirst);
        Store store = Stablecut.connect(uri(lost, other))) {
      Session session =
          store.session(new SessionId(1, 2, 3, 4, Bytes.wrap(new byte[SessionId.SIGNATURE_BYTES])));
      return session.update(1, Key.counter("b", "k").increment());
    }
  }

  private Optional<Answer> busyAtFirst(Call call) {
    if (!(call instanceof Call.WriteOnce)) {
      return Optional.of(ScriptedServer.usual(call));
    }
    return Optional.of(
        requests.getAndIncrement() == 0
            ? CallFailures.of(new ServerBusyException("injected: busy", null))
            : new Answer.Point(ScriptedServer.point(3)));
  }

  @Test
  void retriesASessionsRequestRefusedAfterALostAnswer() throws Exception {
    CausalToken token =
        update(
            call -> {
              if (call instanceof Call.WriteOnce) {
                throw ScriptedServer.brokenOff();
              }
              return Optional.of(ScriptedServer.usual(call));
            });

    assertThat(token).isEqualTo(ScriptedServer.point(3));
    assertThat(requests).hasValue(2);
  }

  @Test
  void reportsTheRefusalOfTheFirstServer() {
    assertThatThrownBy(() -> update(this::busyAtFirst)).isInstanceOf(ServerBusyException.class);

    assertThat(requests).hasValue(1);
  }
}
