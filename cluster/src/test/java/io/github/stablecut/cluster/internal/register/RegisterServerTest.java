package io.github.stablecut.cluster.internal.register;

import io.github.stablecut.cluster.Eventually;
import java.lang.reflect.Proxy;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.util.LifeCycle;
import org.junit.jupiter.api.Test;

/** A part of the register that has closed itself is opened again, whatever goes wrong meanwhile. */
final class RegisterServerTest {
  private final AtomicInteger made = new AtomicInteger();

  /** One that has closed itself. */
  private static RaftServer closed() {
    return (RaftServer)
        Proxy.newProxyInstance(
            RaftServer.class.getClassLoader(),
            new Class<?>[] {RaftServer.class},
            (proxy, method, arguments) ->
                method.getName().equals("getLifeCycleState") ? LifeCycle.State.CLOSED : null);
  }

  @Test
  void itIsTriedAgainAfterAnError() throws Exception {
    RegisterServer server =
        RegisterServer.start(
            RaftGroupId.valueOf(new UUID(1, 0)),
            failed -> {
              if (made.incrementAndGet() == 2) {
                throw new OutOfMemoryError("injected");
              }
              return closed();
            });

    try {
      Eventually.holds("it is opened again", () -> made.get() >= 3);
    } finally {
      server.close();
    }
  }
}
