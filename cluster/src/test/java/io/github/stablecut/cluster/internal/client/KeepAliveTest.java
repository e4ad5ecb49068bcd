package io.github.stablecut.cluster.internal.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.cluster.Eventually;
import io.github.stablecut.cluster.ScriptedServer;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.cluster.internal.call.Call;
import io.github.stablecut.crdt.Bytes;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.SocketFactory;
import org.junit.jupiter.api.Test;

/** A client's handles are renewed despite errors and unresponsive servers. */
class KeepAliveTest {
  private static final Duration OFTEN = Duration.ofMillis(20);
  private static final Duration LONG = Duration.ofMinutes(10);
  private static final Bytes NEEDED = Bytes.utf8("needed");

  private static ServerPool pool(ScriptedServer server) {
    return new ServerPool(server.address(), SocketFactory.getDefault(), LONG);
  }

  private static List<Bytes> renew(ServerPool server, List<Bytes> descriptors) {
    return RemoteValues.as(Answer.Renewed.class, server.call(new Call.Renew(descriptors)))
        .unknown();
  }

  private static ScriptedServer healthy() {
    return new ScriptedServer(call -> Optional.of(ScriptedServer.usual(call)));
  }

  private static void awaitRenewals(ScriptedServer server, int atLeast) throws Exception {
    Eventually.holds("it is renewed", () -> server.calls(Call.Renew.class).size() >= atLeast);
  }

  @Test
  void aSilentServerDelaysNoOther() throws Exception {
    try (ScriptedServer frozen = new ScriptedServer(call -> Optional.empty());
        ScriptedServer healthy = healthy();
        KeepAlive keepAlive = new KeepAlive(OFTEN, KeepAliveTest::renew)) {
      keepAlive.add(pool(frozen), NEEDED);
      awaitRenewals(frozen, 1);

      keepAlive.add(pool(healthy), NEEDED);

      awaitRenewals(healthy, 2);
    }
  }

  @Test
  void doesNotRenewClosedHandles() throws Exception {
    try (ScriptedServer healthy = healthy()) {
      try (KeepAlive keepAlive = new KeepAlive(LONG, KeepAliveTest::renew)) {
        keepAlive.add(pool(healthy), NEEDED);
      }
      assertThat(healthy.calls(Call.Close.class)).containsExactly(new Call.Close(NEEDED));
    }
  }

  @Test
  void renewalsContinueAfterAnError() throws Exception {
    try (ScriptedServer healthy = healthy();
        KeepAlive keepAlive = new KeepAlive(OFTEN, KeepAliveTest::renew)) {
      keepAlive.add(new ServerPool(healthy.address(), new FailingOnce(), LONG), NEEDED);

      awaitRenewals(healthy, 2);
    }
  }

  /** Fails to create the first socket for lack of memory. */
  private static final class FailingOnce extends SocketFactory {
    private final AtomicInteger made = new AtomicInteger();

    @Override
    public Socket createSocket() throws IOException {
      if (made.incrementAndGet() == 1) {
        throw new IllegalStateException("injected");
      }
      return SocketFactory.getDefault().createSocket();
    }

    @Override
    public Socket createSocket(String host, int port) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress from, int fromPort) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(InetAddress host, int port) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress from, int fromPort) {
      throw new UnsupportedOperationException();
    }
  }
}
