package io.github.stablecut.cluster.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.stablecut.cluster.terminal.Table;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ./stablecut cluster status}: where the partitions of a cluster are. */
@Command(
    name = "./stablecut cluster status",
    description = {
      "Asks a node's port for operators where all partitions are.",
      "Exit code 0 if all can be reached from there, 1 if not, or if it doesn't answer."
    })
public final class ClusterStatus implements Callable<Integer> {
  private static final int NOT_WHOLE = 1;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "show this help")
  @SuppressWarnings("unused") // the command line reads it
  private boolean help;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--url",
      paramLabel = "URL",
      defaultValue = "http://127.0.0.1:3001",
      description = "a node's port for operators; default ${DEFAULT-VALUE}")
  private URI url = URI.create("http://127.0.0.1:3001");

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
    JsonNode ring = new ObjectMapper().readTree(Status.ask(url)).path("ring");
    if (ring.isEmpty()) {
      throw new IOException("the store at " + url + " is in no cluster");
    }
    PrintWriter out = spec.commandLine().getOut();
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
