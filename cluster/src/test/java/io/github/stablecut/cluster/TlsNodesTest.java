package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.cluster.internal.node.Ports;
import io.github.stablecut.option.StoreOptions;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two nodes whose clients use TLS and need a certificate. */
final class TlsNodesTest {
  @TempDir private Path directory;

  private Server start(int node, List<Integer> ports) {
    TlsFiles files =
        new TlsFiles(
            directory.resolve("server.crt"),
            directory.resolve("server.key"),
            Optional.of(directory.resolve("client.crt")));
    List<String> seeds = ports.stream().map(port -> "127.0.0.1:" + port).toList();
    return Server.start(
        Settings.of(directory.resolve("n" + node))
            .withProtocol(new Endpoint("127.0.0.1", 0, Optional.of(files), false))
            .withStore(StoreOptions.defaults().withPartitions(4))
            .withCluster(
                new ClusterSettings(
                    "n" + node, Endpoint.loopback(ports.get(node)), seeds, 2, 0, Long.MAX_VALUE)));
  }

  /** The JVM reads its trust and key stores once, so the client is a JVM of its own. */
  @Test
  void aClientFindsTheOtherNodeAndUsesItThroughTls() throws Exception {
    PemKeys.make(directory, "server", "EC");
    PemKeys.make(directory, "client", "EC");
    List<Integer> ports = Ports.free(2);
    CompletableFuture<Server> other =
        CompletableFuture.supplyAsync(() -> start(1, ports), task -> new Thread(task).start());
    try (Server named = start(0, ports);
        Server learned = other.join()) {
      Process client =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-Djavax.net.ssl.trustStore=" + directory.resolve("server.p12"),
                  "-Djavax.net.ssl.trustStorePassword=" + PemKeys.PASSWORD,
                  "-Djavax.net.ssl.keyStore=" + directory.resolve("client.p12"),
                  "-Djavax.net.ssl.keyStorePassword=" + PemKeys.PASSWORD,
                  "-cp",
                  System.getProperty("java.class.path"),
                  TlsNodesMain.class.getName(),
                  "stablecut+tls://127.0.0.1:" + named.address().getPort())
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      try (PrintWriter in = new PrintWriter(client.outputWriter(), true)) {
        Eventually.holds("it has found the other node", () -> learned.connections() > 0);
        in.println("enough");
        List<String> lines = client.inputReader().lines().toList();

        assertThat(client.waitFor()).isZero();
        assertThat(lines).containsExactly("24 counted, 24 scanned, 24 watched, large: 100000");
      } finally {
        client.destroyForcibly();
      }
    }
  }
}
