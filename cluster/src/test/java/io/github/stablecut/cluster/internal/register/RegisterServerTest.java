package io.github.stablecut.cluster.internal.register;

import io.github.stablecut.cluster.Eventually;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.util.LifeCycle;
import org.junit.jupiter.api.Test;

/** A Ratis server that closed itself is reopened, whatever fails meanwhile. */
final class RegisterServerTest {
  private final AtomicInteger created = new AtomicInteger();

  private static <T> T fake(Class<T> type, InvocationHandler answers) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, answers));
  }

  /** A server that has closed itself. */
  private static RaftServer closed() {
    return fake(
        RaftServer.class,
        (proxy, method, arguments) ->
            method.getName().equals("getLifeCycleState") ? LifeCycle.State.CLOSED : null);
  }

  /** A server that can't start, for example on a full disk. Ratis still reports it as alive. */
  private static RaftServer notStarted() {
    DivisionInfo info =
        fake(DivisionInfo.class, (proxy, method, arguments) -> method.getName().equals("isAlive"));
    RaftServer.Division division =
        fake(RaftServer.Division.class, (proxy, method, arguments) -> info);
    return fake(
        RaftServer.class,
        (proxy, method, arguments) ->
            switch (method.getName()) {
              case "start" -> throw new IOException("injected");
              case "getLifeCycleState" -> LifeCycle.State.NEW;
              case "getDivision" -> division;
              default -> null;
            });
  }

  @Test
  void retriesAfterAServerThatCannotStart() throws Exception {
    RegisterServer server =
        RegisterServer.start(
            RaftGroupId.valueOf(new UUID(1, 0)),
            failed -> created.incrementAndGet() == 1 ? closed() : notStarted());

    try {
      Eventually.holds("it is reopened", () -> created.get() >= 3);
    } finally {
      server.close();
    }
  }

  @Test
  void retriesAfterAnError() throws Exception {
    RegisterServer server =
        RegisterServer.start(
            RaftGroupId.valueOf(new UUID(1, 0)),
            failed -> {
              if (created.incrementAndGet() == 2) {
                throw new OutOfMemoryError("injected");
              }
              return closed();
            });

    try {
      Eventually.holds("it is reopened", () -> created.get() >= 3);
    } finally {
      server.close();
    }
  }
}
