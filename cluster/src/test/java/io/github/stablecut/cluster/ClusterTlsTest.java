package io.github.stablecut.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Store;
import io.github.stablecut.Transaction;
import io.github.stablecut.cluster.NodeProcess.Options;
import io.github.stablecut.cluster.command.CommandResult;
import io.github.stablecut.cluster.command.cluster.ClusterBackup;
import io.github.stablecut.cluster.internal.node.Ports;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.TransactionOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Nodes with mutual TLS admit only peers with a certificate of their authority. Their certificates
 * are made with the commands in docs/operations.md.
 */
class ClusterTlsTest {
  @TempDir private Path directory;

  private String settings(String certificate, String authority) throws Exception {
    Path file = directory.resolve(certificate.replace('/', '-') + ".conf");
    return Files.writeString(
            file,
            """
            stablecut.cluster.tls {
              certificate = "%s"
              key = "%s"
              client-authority = "%s"
            }
            """
                .formatted(
                    directory.resolve(certificate + ".crt"),
                    directory.resolve(certificate + ".key"),
                    directory.resolve(authority + ".crt")))
        .toString();
  }

  /**
   * Runs the page's commands for an authority and db1, and those for db1 again for the other names.
   */
  private static void makeAsThePageSays(Path directory, String... names) throws Exception {
    boolean isThere = new ProcessBuilder("sh", "-c", "command -v openssl").start().waitFor() == 0;
    assumeTrue(isThere || System.getenv("CI") != null, "SKIPPED: there is no openssl here");
    String page = Files.readString(Repository.file("docs/operations.md"));
    List<String> lines =
        Pattern.compile("(?m)^[$] (.*(?:openssl|db1[.]ext).*)$")
            .matcher(page)
            .results()
            .map(line -> line.group(1))
            .toList();
    assertThat(lines).hasSize(4);
    List<String> script = new ArrayList<>(List.of("set -e", lines.get(0)));
    for (String name : names) {
      lines.stream().skip(1).map(line -> line.replace("db1", name)).forEach(script::add);
    }
    Process shell =
        new ProcessBuilder("sh", "-c", String.join("\n", script))
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .start();
    String output = new String(shell.getInputStream().readAllBytes(), UTF_8);
    assertThat(shell.waitFor()).as(output).isZero();
  }

  @Test
  void admitsOnlyNodesWithACertificateOfTheAuthority() throws Exception {
    makeAsThePageSays(directory, "db0", "db1");
    makeAsThePageSays(Files.createDirectory(directory.resolve("elsewhere")), "db9");
    List<Integer> ports = Ports.free(3);
    List<String> seeds = List.of("127.0.0.1:" + ports.get(0));
    List<Options> options = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      options.add(
          new Options("n" + i, directory.resolve("n" + i), ports.get(i), seeds, 2)
              .with("--config", settings("db" + i, "ca")));
    }
    try (TestCluster cluster = TestCluster.form(options)) {
      cluster.awaitWhole();
      for (int i = 0; i < 16; i++) {
        CounterKey key = Key.counter("tls", "k" + i);
        try (Store one = cluster.node(0).connect();
            Store other = cluster.node(1).connect()) {
          CausalToken token = one.update(key.increment(1));
          try (Transaction transaction = other.begin(TransactionOptions.defaults().after(token))) {
            assertThat(transaction.read(key)).isEqualTo(1);
          }
        }
      }
      Options newcomer = new Options("n9", directory.resolve("n9"), ports.get(2), seeds, 2);
      isNamedOnBothSides(
          newcomer,
          "only a seed starts a cluster: the node at %s is refused: it has the certificate CN=db0, issued by CN=our stablecut authority, so it uses cluster.tls, which is not set here"
              .formatted(seeds.get(0)),
          cluster,
          "a peer that connected to this node has refused this node's certificate, CN=db0, issued by CN=our stablecut authority");
      isNamedOnBothSides(
          newcomer.with("--config", settings("elsewhere/db9", "ca")),
          "the node at %s has refused this node's certificate, CN=db9, issued by CN=our stablecut authority"
              .formatted(seeds.get(0)),
          cluster,
          "refused a peer that connected to this node: it has the certificate CN=db9, issued by CN=our stablecut authority, which is not issued by an authority in "
              + directory.resolve("ca.crt"));
    }
  }

  /** Starts a node that is not admitted. */
  private static void isNamedOnBothSides(
      Options stranger, String words, TestCluster cluster, String wordsOfMember) throws Exception {
    try (NodeProcess node = NodeProcess.start(stranger)) {
      Eventually.holds("the node says why", () -> node.output().contains(words));
      Eventually.holds(
          "the member says why", () -> cluster.node(0).output().contains(wordsOfMember));
      assertThat(node.isReady()).isFalse();
      assertThat(node.terminate()).isZero();
    }
    assertThat(cluster.node(0).output()).containsOnlyOnce(wordsOfMember);
  }

  @Test
  void aCommandWithoutCertificatesSaysWhatToGive() throws Exception {
    makeAsThePageSays(directory, "db0");
    List<Integer> ports = Ports.free(1);
    String address = "127.0.0.1:" + ports.get(0);
    Options options =
        new Options("n0", directory.resolve("n0"), ports.get(0), List.of(address), 1)
            .with("--config", settings("db0", "ca"));
    try (TestCluster cluster = TestCluster.form(List.of(options))) {
      cluster.awaitWhole();
      CommandResult result =
          CommandResult.of(ClusterBackup.command(), directory.resolve("backup"), "--join", address);

      assertThat(result.code()).isEqualTo(1);
      assertThat(result.err())
          .startsWith("error: the cluster can't be joined: the node at " + address)
          .contains("--config FILE")
          .hasLineCount(1);
    }
  }
}
