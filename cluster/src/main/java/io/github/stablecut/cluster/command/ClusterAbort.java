package io.github.stablecut.cluster.command;

import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.cluster.terminal.Table;
import io.github.stablecut.tools.InDoubt;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code stablecut cluster abort-in-doubt}: ends transactions whose coordinator is lost for good.
 */
@Command(
    name = "stablecut cluster abort-in-doubt",
    description = {
      "Lists the transactions that this node has prepared and whose coordinator is a lost partition;"
          + " with --confirm, aborts them. The node must be stopped.",
      "Only for a partition whose disk is lost and can't be restored. If it had already decided to"
          + " commit, other nodes may have committed their parts and clients may have been told so;"
          + " such a transaction stays applied in part.",
      "Exit code 0 on success, 1 if the confirmed number does not match, 2 if there is no such node,"
          + " if it is in use, or if the arguments are invalid."
    })
public final class ClusterAbort extends OfflineCommand {
  @Option(
      names = "--lost-partition",
      required = true,
      paramLabel = "N",
      description = "the lost partition")
  private int lost;

  @Option(
      names = "--confirm",
      paramLabel = "COUNT",
      description = "abort them if there are exactly N; without it nothing is changed")
  private @Nullable Integer confirmed;

  ClusterAbort() {}

  /** The command, to be run. */
  public static Object command() {
    return new ClusterAbort();
  }

  /**
   * Lists or aborts, and ends the process.
   *
   * @param args options
   */
  public static void main(String[] args) {
    System.exit(CommandRunner.run(new ClusterAbort(), args));
  }

  @Override
  Exit read(Path directory) {
    List<InDoubt.Prepared> found = InDoubt.find(directory, lost);
    Integer count = confirmed;
    if (found.isEmpty()) {
      out().println("no transaction waits for partition %d here".formatted(lost));
      return Exit.DONE;
    } else if (count == null) {
      found.forEach(one -> out().println(line(one)));
      out().println(advice(found.size()));
      return Exit.DONE;
    } else if (count != found.size()) {
      err()
          .println(
              "error: %d parts of transactions wait for partition %d, not %d: nothing was changed; look at them without --confirm"
                  .formatted(found.size(), lost, count));
      return Exit.FAILED;
    }
    int aborted = InDoubt.abort(directory, lost);
    out()
        .println(
            "aborted %d parts of transactions that waited for partition %d"
                .formatted(aborted, lost));
    return Exit.DONE;
  }

  private static String line(InDoubt.Prepared one) {
    return "partition %d: transaction %s, prepared at %s, writes %s"
        .formatted(
            one.partition(),
            one.id(),
            Timestamp.format(one.time()),
            one.objects().stream()
                .map(object -> Table.printable(object.toString()))
                .collect(Collectors.joining(", ")));
  }

  private String advice(int count) {
    return """
        %d parts of transactions wait for partition %d. Nothing was changed.
        If its node can be started again, or its directory restored, do that instead: it knows what became of them.
        Look at the directories of the other nodes first (stablecut journal dump DIR): a transaction of these that is
        committed there stays committed there, and aborted here it is applied in part.
        To abort all of them here: --confirm %d"""
        .formatted(count, lost, count);
  }
}
