package io.github.stablecut.cluster.internal.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.client.ServerBusyException;
import io.github.stablecut.cluster.ScriptedServer;
import io.github.stablecut.cluster.internal.call.Call;
import io.github.stablecut.cluster.internal.call.CallFailures;
import io.github.stablecut.cluster.internal.network.HttpRequest;
import io.github.stablecut.cluster.internal.network.HttpResponse;
import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.error.StablecutException;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The answers to failed updates of objects. */
class ObjectAnswersTest {
  private static final HttpRequest INCREMENT =
      new HttpRequest(
          true,
          true,
          ObjectHandler.UPDATE,
          Map.of("bucket", "b", "key", "k", "operation", "increment", "type", "counter"));

  /** Returns the answer if the store throws an exception. */
  private static HttpResponse answer(StablecutException failure) throws Exception {
    try (ScriptedServer server =
            new ScriptedServer(
                call ->
                    Optional.of(
                        call instanceof Call.Write
                            ? CallFailures.of(failure)
                            : ScriptedServer.usual(call)));
        Store store = Stablecut.connect("stablecut://127.0.0.1:" + server.address().getPort())) {
      return new ObjectHandler(() -> store).update(INCREMENT);
    }
  }

  @Test
  void distinguishesUnknownOutcomesFromRetryableFailures() throws Exception {
    HttpResponse unknown = answer(new OutcomeUnknownException("nobody knows"));
    HttpResponse busy = answer(new ServerBusyException("later", null));

    assertThat(unknown.status()).isEqualTo(500);
    assertThat(unknown.body().toUtf8()).isEqualTo("nobody knows\n");
    assertThat(busy.status()).isEqualTo(503);
  }
}
