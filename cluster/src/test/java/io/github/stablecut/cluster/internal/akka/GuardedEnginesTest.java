package io.github.stablecut.cluster.internal.akka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import akka.actor.ActorSystem;
import akka.stream.TLSClosing;
import akka.stream.javadsl.Flow;
import akka.stream.javadsl.Keep;
import akka.stream.javadsl.Sink;
import akka.stream.javadsl.Source;
import akka.stream.javadsl.TLS;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.cluster.internal.secret.ClusterSecret;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Test;

/** Connections of a terminating actor system are closed. */
class GuardedEnginesTest {
  private final AtomicLong now = new AtomicLong();
  private final GuardedEngines guard =
      new GuardedEngines(
          new SecretEngines(
              ClusterSecret.of(
                  new NodeSettings.Endpoint("127.0.0.1", 0, Optional.empty()).secret()),
              new TlsRefusals(now::get)),
          now::get);

  /** A connection whose other end neither sends anything nor closes it. */
  private CompletionStage<?> connection(ActorSystem system) {
    CompletableFuture<SSLEngine> engine = new CompletableFuture<>();
    CompletionStage<?> end =
        Source.<akka.stream.TLSProtocol.SslTlsOutbound>maybe()
            .via(
                TLS.create(
                        () -> {
                          engine.complete(guard.createClientSSLEngine("", 0));
                          return engine.join();
                        },
                        session -> {},
                        TLSClosing.ignoreBoth())
                    .join(Flow.fromSinkAndSource(Sink.ignore(), Source.maybe())))
            .toMat(Sink.ignore(), Keep.right())
            .run(system);
    assertThat(engine.join()).isNotNull();
    return end;
  }

  @Test
  void closesConnectionsAWhileAfterTerminationBegins() {
    ActorSystem system = ActorSystem.create("guarded");
    try {
      CompletionStage<?> connection = connection(system);

      guard.close();
      now.set(GuardedEngines.GRACE.toNanos() + 1);
      guard.tick();

      assertThatThrownBy(() -> connection.toCompletableFuture().join())
          .hasRootCauseInstanceOf(SSLException.class)
          .hasRootCauseMessage("the node is closing");
    } finally {
      system.terminate();
    }
  }
}
