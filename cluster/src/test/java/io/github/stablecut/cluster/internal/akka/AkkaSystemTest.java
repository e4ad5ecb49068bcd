package io.github.stablecut.cluster.internal.akka;

import static org.assertj.core.api.Assertions.assertThat;

import akka.actor.ActorSystem;
import io.github.stablecut.cluster.CutProxy;
import io.github.stablecut.cluster.Eventually;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.cluster.internal.node.Ports;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

/** A node's port is opened once it is free, and released when the node ends. */
class AkkaSystemTest {
  private static final String NAME = "stablecut";

  private static ActorSystem start(int port, int listenPort) {
    return AkkaSystem.start(
        NAME,
        new NodeSettings.Endpoint("127.0.0.1", port, listenPort, Optional.empty()),
        new TlsRefusals(System::nanoTime));
  }

  private static void terminate(ActorSystem system) {
    system.terminate();
    assertThat(system.getWhenTerminated().toCompletableFuture().join()).isNotNull();
  }

  @Test
  void waitsForAPortThatIsBeingReleased() throws Exception {
    FutureTask<ActorSystem> start;
    try (ServerSocket before = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int port = before.getLocalPort();
      start = new FutureTask<>(() -> start(port, port));
      Thread starting = new Thread(start, "starting");
      starting.start();
      Eventually.holds(
          "it waits for the port",
          () -> starting.getState() == Thread.State.TIMED_WAITING || start.isDone());
    }

    terminate(start.get());
  }

  @Test
  void terminatesWhileOthersKeepTheirConnectionsOpen() throws Exception {
    List<Integer> ports = Ports.free(2);
    try (CutProxy proxy = new CutProxy(0, List.of(ports.get(1)))) {
      ActorSystem ending = start(ports.get(0), ports.get(0));
      ActorSystem other = start(proxy.port(), ports.get(1));
      assertThat(
              ending
                  .actorSelection("akka://%s@127.0.0.1:%d/user".formatted(NAME, proxy.port()))
                  .resolveOne(Duration.ofMinutes(1))
                  .toCompletableFuture()
                  .join())
          .isNotNull();
      proxy.cut();

      terminate(ending);

      try (ServerSocket after =
          new ServerSocket(ports.get(0), 1, InetAddress.getLoopbackAddress())) {
        assertThat(after.isBound()).isTrue();
      }
      terminate(other);
    }
  }
}
