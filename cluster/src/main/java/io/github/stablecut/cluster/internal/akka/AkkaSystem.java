package io.github.stablecut.cluster.internal.akka;

import akka.Done;
import akka.actor.ActorSystem;
import akka.actor.BootstrapSetup;
import akka.actor.CoordinatedShutdown;
import akka.actor.ExtendedActorSystem;
import akka.actor.setup.ActorSystemSetup;
import akka.remote.artery.tcp.SSLEngineProvider;
import akka.remote.artery.tcp.SSLEngineProviderSetup;
import io.github.stablecut.cluster.JoinRefusedException;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.cluster.internal.remote.NodeTls;
import io.github.stablecut.cluster.internal.secret.ClusterSecret;
import io.github.stablecut.internal.thread.FireAndForget;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Starts the actor system of a node, with a guarded port. */
final class AkkaSystem {
  private static final Duration TICK_INTERVAL = Duration.ofMillis(500);

  /** The time for which a node that this process has just closed may keep the port. */
  private static final Duration PORT_TIMEOUT = Duration.ofSeconds(5);

  private static final long PORT_RETRY_MILLIS = 50;

  private AkkaSystem() {}

  /**
   * Opens the port for nodes.
   *
   * @throws JoinRefusedException if it can't be opened
   * @throws io.github.stablecut.cluster.SettingsException if the secret can't be read
   */
  static ActorSystem start(String name, NodeSettings.Endpoint endpoint, TlsRefusals refusals) {
    BootstrapSetup bootstrap =
        BootstrapSetup.create(AkkaConfig.of(endpoint))
            .withClassloader(AkkaSystem.class.getClassLoader());
    // Read here, as Akka would wrap the exception.
    SSLEngineProvider unguarded = unguarded(endpoint, refusals);
    SSLEngineProviderSetup engines =
        SSLEngineProviderSetup.create(system -> engines(system, unguarded));
    try {
      awaitPort(endpoint);
      return ActorSystem.create(name, ActorSystemSetup.create(bootstrap, engines));
    } catch (IOException | RuntimeException e) {
      throw new JoinRefusedException(
          "the port for nodes, %s, can't be opened: %s; free it, or set cluster.port to another one"
              .formatted(endpoint.address(), reason(e)));
    }
  }

  /** Waits until the port is free. A system that can't bind it would log stack traces. */
  private static void awaitPort(NodeSettings.Endpoint endpoint) throws IOException {
    InetSocketAddress address = new InetSocketAddress(endpoint.host(), endpoint.listenPort());
    long endNanos = System.nanoTime() + PORT_TIMEOUT.toNanos();
    while (true) {
      try (ServerSocket socket = new ServerSocket()) {
        socket.setReuseAddress(true);
        socket.bind(address);
        return;
      } catch (BindException e) {
        if (System.nanoTime() - endNanos > 0) {
          throw e;
        }
      }
      pause();
    }
  }

  private static void pause() throws InterruptedIOException {
    try {
      Thread.sleep(PORT_RETRY_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while waiting for the port");
    }
  }

  /** Whether a system terminates because its node was removed from the cluster. */
  static boolean isRemoved(ActorSystem system) {
    return CoordinatedShutdown.get(system)
        .getShutdownReason()
        .filter(reason -> reason instanceof CoordinatedShutdown.ClusterDowningReason$)
        .isPresent();
  }

  /** The root cause of a failure to bind, without Akka's wrapping. */
  private static String reason(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof BindException) {
        return String.valueOf(cause.getMessage());
      }
    }
    return String.valueOf(failure.getMessage());
  }

  private static SSLEngineProvider engines(
      ExtendedActorSystem system, SSLEngineProvider unguarded) {
    GuardedEngines guard = new GuardedEngines(unguarded, System::nanoTime);
    // Akka's scheduler stops the repetition when a task throws.
    system
        .scheduler()
        .scheduleWithFixedDelay(
            TICK_INTERVAL,
            TICK_INTERVAL,
            FireAndForget.logged("the check of handshakes", guard::tick),
            system.dispatcher());
    CoordinatedShutdown.get(system)
        .addTask(
            CoordinatedShutdown.PhaseActorSystemTerminate(),
            "connections",
            () -> {
              guard.close();
              return CompletableFuture.completedFuture(Done.getInstance());
            });
    return guard;
  }

  private static SSLEngineProvider unguarded(NodeSettings.Endpoint endpoint, TlsRefusals refusals) {
    ClusterSecret secret = ClusterSecret.of(endpoint.secret());
    return endpoint
        .tls()
        .<SSLEngineProvider>map(files -> new CertificateEngines(files, refusals, System::nanoTime))
        .orElseGet(() -> new SecretEngines(secret, refusals));
  }

  /** TLS with the same keys for other connections between nodes. */
  static NodeTls tls(NodeSettings.Endpoint endpoint, TlsRefusals refusals) {
    return new ProvidedTls(unguarded(endpoint, refusals), endpoint.host());
  }
}
