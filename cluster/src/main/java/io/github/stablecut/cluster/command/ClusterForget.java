package io.github.stablecut.cluster.command;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
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

/** {@code stablecut cluster forget}: goes on without nodes that are lost for ever. */
@Command(
    name = "stablecut cluster forget",
    description = {
      "For a cluster whose partitions exist once, or did when a disk was lost while they got"
          + " replicas: says what is lost with nodes whose disks are lost for ever and, with"
          + " --confirm, goes on without it: the partitions that they had begin anew, empty, on the"
          + " node that is asked. Save what is left before: stablecut cluster export --skip-lost.",
      "Make sure that the process of such a node has ended. One that is only cut off goes on"
          + " serving clients that reach it; it ends by itself once it reaches the others again,"
          + " and what was written to its partitions meanwhile is lost.",
      "If a directory of such a node can be found or restored, start the node with it instead."
          + " After this it is refused. Transactions that wait for a lost partition are aborted: of"
          + " those that it had decided to commit, what other partitions have stays applied in"
          + " part. A request of a session that a lost partition had executed may be executed again"
          + " if it is repeated.",
      "Exit code 0 if it was told or done, 1 if it can't be done, or the word is another one."
    })
public final class ClusterForget extends ShellCommand {
  @Mixin private AdminPort port = new AdminPort();

  @Option(
      names = "--confirm",
      paramLabel = "WORD",
      description = "go on; the word says how many partitions are lost, and is told without this")
  private @Nullable String confirmed;

  @Option(names = "--json", description = "as a line of JSON")
  private boolean json;

  @Parameters(arity = "1..*", paramLabel = "NODE", description = "names of the lost nodes")
  private List<String> nodes = List.of();

  ClusterForget() {}

  /** The command, to be run. */
  public static Object command() {
    return new ClusterForget();
  }

  /**
   * Tells or forgets, and ends the process.
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
    JsonNode told = port.order("/api/v1/cluster/lost?nodes=" + encoded);
    told.path("partitions").forEach(number -> lost.add(number.asInt()));
    String word = "lose-%d-partitions".formatted(lost.size());
    if (confirmed != null && !confirmed.equals(word)) {
      err()
          .printf(
              "error: with %s %d partitions are lost, %s: nothing was changed; to go on: --confirm"
                  + " %s%n",
              names, lost.size(), lost, word);
      return Exit.FAILED.code();
    }
    if (confirmed != null) {
      String numbers = lost.stream().map(String::valueOf).collect(Collectors.joining(","));
      var unused =
          port.order("/api/v1/cluster/forget?nodes=%s&partitions=%s".formatted(encoded, numbers));
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
        forgotten: %s; the partitions %s begin anew, empty
        To spread them over the nodes that are left: stablecut cluster rebalance; where partitions get replicas, repeat: stablecut cluster replicas
        """
            .formatted(names, lost)
        : """
        With %s what the partitions %s have is lost, also their parts of transactions of others. Nothing was changed.
        If a directory can be found or restored, start its node instead: afterwards it is refused.
        Make sure that its process has ended: if it is only cut off, it still serves clients that reach it, and what they write is lost, too.
        Save what is left first: stablecut cluster export --skip-lost
        To go on without: --confirm %s
        """
            .formatted(names, lost, word);
  }
}
