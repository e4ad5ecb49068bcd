package io.github.stablecut.cluster.command.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.stablecut.cluster.command.AdminPort;
import io.github.stablecut.cluster.command.CommandRunner;
import io.github.stablecut.cluster.command.Exit;
import io.github.stablecut.cluster.command.ShellCommand;
import java.io.IOException;
import java.net.URLEncoder;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stablecut cluster forget}: gives up nodes that are permanently lost. */
@Command(
    name = "stablecut cluster forget",
    description = {
      "For a cluster whose partitions exist once, or that lost a disk while they were getting replicas. Shows what is lost with nodes whose disks are permanently lost. With --confirm, gives these nodes up: their partitions restart empty on the node at --url. First save the remaining data with stablecut cluster export --skip-lost.",
      "Make sure that the process of such a node has ended. A node that is only cut off from the others still serves the clients that reach it. It stops when it reaches the others again, and the writes to its partitions since then are lost.",
      "If the directory of such a node can be found or restored, start the node with it instead: a forgotten node is refused. Transactions that wait for a lost partition are aborted; those that it had decided to commit may stay applied in part. A session request that a lost partition had executed may be executed again if the client retries it.",
      "Exit code 0 on success, 1 if the nodes can't be forgotten, or the word does not match."
    })
public final class ClusterForget extends ShellCommand {
  @Mixin private AdminPort port = new AdminPort();

  @Option(
      names = "--confirm",
      paramLabel = "WORD",
      description =
          "forget the nodes; the command prints WORD, which has the number of lost partitions, when called without this option")
  private @Nullable String confirmed;

  @Option(names = "--json", description = "print the result as a line of JSON")
  private boolean json;

  @Parameters(arity = "1..*", paramLabel = "NODE", description = "names of the lost nodes")
  private List<String> nodes = List.of();

  ClusterForget() {}

  /** Creates the command. */
  public static Object command() {
    return new ClusterForget();
  }

  /**
   * Shows the loss or forgets the nodes, and ends the process.
   *
   * @param args options
   */
  public static void main(String[] args) {
    System.exit(CommandRunner.run(new ClusterForget(), args));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    String names = String.join(",", nodes);
    String encoded = URLEncoder.encode(names, UTF_8);
    List<Integer> lost = new ArrayList<>();
    JsonNode answer = port.execute("/api/v1/cluster/lost?nodes=" + encoded);
    answer.path("partitions").forEach(number -> lost.add(number.asInt()));
    String word = "lose-%d-partitions".formatted(lost.size());
    if (confirmed != null && !confirmed.equals(word)) {
      err()
          .printf(
              "error: with %s %d partitions are lost, %s: nothing was changed; to confirm: --confirm %s%n",
              names, lost.size(), lost, word);
      return Exit.FAILED.code();
    }
    if (confirmed != null) {
      String numbers = lost.stream().map(String::valueOf).collect(Collectors.joining(","));
      port.execute("/api/v1/cluster/forget?nodes=%s&partitions=%s".formatted(encoded, numbers));
    }
    if (json) {
      printJson(Exit.DONE, facts(lost, word));
    } else {
      out().print(words(names, lost, word));
    }
    return Exit.DONE.code();
  }

  private ObjectNode facts(List<Integer> lost, String word) {
    ObjectNode facts = JsonNodeFactory.instance.objectNode();
    ArrayNode names = facts.putArray("nodes");
    nodes.forEach(names::add);
    ArrayNode partitions = facts.putArray("partitions");
    lost.forEach(partitions::add);
    return facts.put("done", confirmed != null).put("word", word);
  }

  private String words(String names, List<Integer> lost, String word) {
    return confirmed != null
        ? """
        forgotten: %s; the partitions %s restart empty
        To spread them over the remaining nodes: stablecut cluster rebalance; if partitions were getting replicas, repeat: stablecut cluster replicas
        """
            .formatted(names, lost)
        : """
        With %s the data of the partitions %s is lost, with their parts of transactions on other partitions. Nothing was changed.
        If a directory can be found or restored, start its node instead: a forgotten node is refused.
        Make sure that the node's process has ended: while it is only cut off from the others, it still serves clients, and their writes are lost.
        Save the remaining data first: stablecut cluster export --skip-lost
        To forget the nodes: --confirm %s
        """
            .formatted(names, lost, word);
  }
}
