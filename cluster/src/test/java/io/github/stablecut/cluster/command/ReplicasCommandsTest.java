package io.github.stablecut.cluster.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpServer;
import io.github.stablecut.cluster.command.cluster.ClusterRecover;
import io.github.stablecut.cluster.command.cluster.ClusterVerify;
import io.github.stablecut.internal.recovery.NodeDirectory;
import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.journal.GroupListener;
import io.github.stablecut.journal.Journal;
import io.github.stablecut.journal.JournalDirectory;
import io.github.stablecut.journal.JournalOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The JSON output of the commands for clusters with replicas. */
final class ReplicasCommandsTest {
  private static final JournalOptions OPTIONS = JournalOptions.named("a replica's journal");

  @TempDir private Path directory;

  /** The directory of a node with an empty replica of the only partition. */
  private Path node(String name) throws IOException {
    Path data = directory.resolve(name);
    try (NodeDirectory node = NodeDirectory.open(data, name)) {
      NodePlan plan =
          NodePlan.builder(7, name, List.of("n1"))
              .isFormed(true)
              .replicas(List.of(List.of("n1", "n2", "n3")))
              .build();
      node.form(plan, List.of());
    }
    try (Journal journal =
        Journal.open(
            JournalDirectory.open(data.resolve("p0/journal"), OPTIONS),
            OPTIONS,
            GroupListener.NOBODY,
            one -> {})) {
      journal.beginEpoch(1);
    }
    return data;
  }

  @Test
  void recoverMatchesTheSchema() throws Exception {
    ToolsSchema schema = ToolsSchema.read();
    Path one = node("n1");
    Path target = directory.resolve("target");
    CommandResult listed = CommandResult.of(ClusterRecover.command(), one, "--json");
    CommandResult refused =
        CommandResult.of(ClusterRecover.command(), one, "--into", target, "--json");
    CommandResult done =
        CommandResult.of(
            ClusterRecover.command(), one, "--into", target, "--confirm", "1", "--json");

    JsonNode found = schema.check("cluster recover", listed).get(0);
    assertThat(found.at("/partitions/0/mayLackCommits").asBoolean()).isTrue();
    assertThat(found.at("/partitions/0/found/0/replica").asText()).isEqualTo("n1");
    assertThat(refused.code()).isEqualTo(1);
    assertThat(schema.check("cluster recover", refused).get(0).path("ok").asBoolean()).isFalse();
    assertThat(schema.check("cluster recover", done).get(0).path("made").asText())
        .isEqualTo(target.toString());
  }

  /** An admin port that reports the digest of a node's replica of partition 0. */
  private static HttpServer node(String name, String hash) throws IOException {
    byte[] answer =
        """
        data: {"result":{"digests":[
        {"partition":0,"replica":"%s","epoch":1,"voters":["n1","n2"],"checkpoint":"c","objects":3,"hash":"%s"}]}}

        """
            .replaceFirst("\\n", "")
            .formatted(name, hash)
            .getBytes(StandardCharsets.UTF_8);
    HttpServer port =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    answers(port, "/api/v1/cluster/digests", answer);
    answers(
        port,
        "/api/v1/status",
        "{\"node\":\"n1\",\"partitions\":[{\"partition\":0}]}".getBytes(StandardCharsets.UTF_8));
    port.start();
    return port;
  }

  private static void answers(HttpServer port, String path, byte[] answer) {
    port.createContext(
        path,
        exchange -> {
          exchange.sendResponseHeaders(200, answer.length);
          exchange.getResponseBody().write(answer);
          exchange.close();
        });
  }

  private static String url(HttpServer port) {
    return "http://127.0.0.1:" + port.getAddress().getPort();
  }

  @Test
  void verifyMatchesTheSchema() throws Exception {
    ToolsSchema schema = ToolsSchema.read();
    HttpServer first = node("n1", "h");
    HttpServer second = node("n2", "h");
    HttpServer different = node("n2", "other");
    try {
      CommandResult same =
          CommandResult.of(new ClusterVerify(), "--url", url(first), url(second), "--json");
      CommandResult damaged =
          CommandResult.of(new ClusterVerify(), "--url", url(first), url(different), "--json");

      assertThat(same.code()).as(same.err()).isZero();
      JsonNode report = schema.check("cluster verify", same).get(0);
      assertThat(report.path("objects").asInt()).isEqualTo(3);
      assertThat(damaged.code()).isEqualTo(1);
      assertThat(schema.check("cluster verify", damaged).get(0).path("differences")).hasSize(1);
    } finally {
      List.of(first, second, different).forEach(port -> port.stop(0));
    }
  }
}
