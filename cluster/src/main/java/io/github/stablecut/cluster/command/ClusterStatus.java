package io.github.stablecut.cluster.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.stablecut.cluster.terminal.Table;
import java.io.IOException;
import java.io.PrintWriter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code ./stablecut cluster status}: where the partitions of a cluster are. */
@Command(
    name = "./stablecut cluster status",
    description = {
      "Asks a node's port for operators where all partitions are.",
      "Exit code 0 if all can be reached from there, 1 if not, or if it doesn't answer."
    })
public final class ClusterStatus extends ShellCommand {
  private static final int NOT_WHOLE = 1;

  @Mixin private OperatorsPort port = new OperatorsPort();

  ClusterStatus() {}

  /** The command, to be run. */
  public static Object command() {
    return new ClusterStatus();
  }

  /**
   * Asks, and ends the process.
   *
   * @param args options
   */
  public static void main(String[] args) {
    System.exit(CommandRunner.run(new ClusterStatus(), args));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    JsonNode ring = new ObjectMapper().readTree(port.ask()).path("ring");
    if (ring.isEmpty()) {
      throw new IOException("the store at " + port.url() + " is in no cluster");
    }
    PrintWriter out = out();
    out.println(
        "%9s  %-20s  %-24s  %6s  %s".formatted("PARTITION", "NODE", "ADDRESS", "EPOCH", "STATE"));
    boolean isWhole = true;
    for (JsonNode place : ring) {
      boolean isReachable = place.path("reachable").asBoolean();
      isWhole &= isReachable;
      out.println(
          "%9d  %-20s  %-24s  %6d  %s"
              .formatted(
                  place.path("partition").asInt(),
                  Table.printable(place.path("node").asText()),
                  Table.printable(place.path("address").asText()),
                  place.path("epoch").asLong(),
                  isReachable ? "serves" : "can't be reached"));
    }
    return isWhole ? 0 : NOT_WHOLE;
  }
}
