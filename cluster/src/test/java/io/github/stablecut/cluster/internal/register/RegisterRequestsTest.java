package io.github.stablecut.cluster.internal.register;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.junit.jupiter.api.Test;

/** Requests to a Ratis server that blocks or throws. */
class RegisterRequestsTest {
  private static final byte[] COMMAND = {1};

  /** A server that answers each request with a supplier. */
  private static RaftServer server(Supplier<CompletableFuture<RaftClientReply>> answers) {
    return (RaftServer)
        Proxy.newProxyInstance(
            RaftServer.class.getClassLoader(),
            new Class<?>[] {RaftServer.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "getId" -> RaftPeerId.valueOf("n1");
                  case "submitClientRequestAsync" -> answers.get();
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  /** Ratis blocks forever if it is closed during a request. */
  @Test
  void aStuckServerBlocksNoCaller() throws Exception {
    CountDownLatch isAsked = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    RaftServer stuck =
        server(
            () -> {
              isAsked.countDown();
              try {
                end.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
              return new CompletableFuture<>();
            });
    try (RegisterRequests requests = new RegisterRequests(RaftGroupId.randomId())) {
      CompletableFuture<byte[]> answer = requests.submit(stuck, COMMAND);

      isAsked.await();
      assertThat(answer).isNotDone();
      for (int i = 1; i < 64; i++) {
        assertThat(requests.submit(stuck, COMMAND)).isNotDone();
      }
      assertThatThrownBy(requests.submit(stuck, COMMAND)::join)
          .hasCauseInstanceOf(IOException.class)
          .hasMessageContaining("too many requests in flight");

      // Another server was opened instead.
      RaftServer next =
          server(() -> CompletableFuture.failedFuture(new IOException("the next server")));
      assertThatThrownBy(requests.submit(next, COMMAND)::join)
          .hasMessageContaining("the next server");
    } finally {
      end.countDown();
    }
  }

  @Test
  void anExceptionOfTheServerFailsTheRequest() {
    List<RuntimeException> thrown = List.of(new IllegalStateException("closed"));
    RaftServer failing =
        server(
            () -> {
              throw thrown.get(0);
            });
    try (RegisterRequests requests = new RegisterRequests(RaftGroupId.randomId())) {
      assertThatThrownBy(requests.submit(failing, COMMAND)::join)
          .isInstanceOf(CompletionException.class)
          .hasCause(thrown.get(0));
    }
  }
}
