package io.github.stablecut.cluster.command.cluster;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.cluster.command.CommandRunner;
import io.github.stablecut.cluster.command.Exit;
import io.github.stablecut.cluster.internal.admin.InspectionReport;
import io.github.stablecut.cluster.internal.exchange.JsonBytes;
import io.github.stablecut.error.PrintableText;
import io.github.stablecut.tools.InDoubtTransactions;
import io.github.stablecut.tools.ObjectName;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code stablecut cluster abort-in-doubt}: aborts transactions whose coordinator is permanently
 * lost.
 */
@Command(
    name = "stablecut cluster abort-in-doubt",
    description = {
      "Lists the transactions that this node has prepared and whose coordinator is a lost"
          + " partition; aborts them with --confirm. The node must be stopped.",
      "Use it only for a partition whose disk is lost and can't be restored. If the partition had"
          + " already decided to commit, other nodes may have committed their parts and"
          + " acknowledged the transaction; it then stays applied in part.",
      "Exit code 0 on success, 1 if the confirmed number does not match, 2 if there is no such"
          + " node, if it is in use, or if the arguments are invalid."
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
      description = "abort them if there are exactly COUNT; without this option nothing changes")
  private @Nullable Integer confirmed;

  @Option(names = "--json", description = "print the result as a line of JSON")
  private boolean json;

  ClusterAbort() {}

  /** Creates the command. */
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
    List<InDoubtTransactions.PreparedTransaction> found = InDoubtTransactions.find(directory, lost);
    Integer count = confirmed;
    if (json) {
      return printAsJson(directory, found);
    }
    if (found.isEmpty()) {
      out().println("no transaction of this node waits for partition %d".formatted(lost));
      return Exit.DONE;
    } else if (count == null) {
      found.forEach(one -> out().println(line(one)));
      out().println(advice(found.size()));
      return Exit.DONE;
    } else if (count != found.size()) {
      refuse(found.size(), count);
      return Exit.FAILED;
    }
    int aborted = InDoubtTransactions.abort(directory, lost);
    out()
        .println(
            "aborted %d parts of transactions that waited for partition %d"
                .formatted(aborted, lost));
    return Exit.DONE;
  }

  private void refuse(int found, int expected) {
    err()
        .println(
            "error: %d parts of transactions wait for partition %d, not %d: nothing was changed; run the command without --confirm to list them"
                .formatted(found, lost, expected));
  }

  private Exit printAsJson(Path directory, List<InDoubtTransactions.PreparedTransaction> found) {
    Integer count = confirmed;
    boolean isWrong = count != null && count != found.size();
    if (isWrong) {
      refuse(found.size(), Objects.requireNonNull(count));
    }
    ObjectNode facts = JsonNodeFactory.instance.objectNode().put("lostPartition", lost);
    ArrayNode all = facts.putArray("found");
    for (InDoubtTransactions.PreparedTransaction one : found) {
      ObjectNode part = all.addObject().put("partition", one.partition()).put("id", one.id());
      part.put("time", InspectionReport.time(one.time()));
      ArrayNode objects = part.putArray("objects");
      for (ObjectName object : one.objects()) {
        ObjectNode name = objects.addObject();
        name.set("bucket", JsonBytes.write(object.bucket()));
        name.set("key", JsonBytes.write(object.key()));
      }
    }
    boolean isToAbort = count != null && !isWrong && !found.isEmpty();
    facts.put("aborted", isToAbort ? InDoubtTransactions.abort(directory, lost) : 0);
    Exit exit = isWrong ? Exit.FAILED : Exit.DONE;
    printJson(exit, facts);
    return exit;
  }

  private static String line(InDoubtTransactions.PreparedTransaction one) {
    return "partition %d: transaction %s, prepared at %s, writes %s"
        .formatted(
            one.partition(),
            one.id(),
            Timestamp.format(one.time()),
            one.objects().stream()
                .map(object -> PrintableText.of(object.toString()))
                .collect(Collectors.joining(", ")));
  }

  private String advice(int count) {
    return """
    %d parts of transactions wait for partition %d. Nothing was changed.
    If that partition's node can be started again, or its directory restored, do that instead: it knows the outcomes.
    Look at the directories of the other nodes first (stablecut journal dump DIR): a transaction that is committed
    there stays committed there; if you abort it here, it is applied in part.
    To abort all of them here: --confirm %d\
    """
        .formatted(count, lost, count);
  }
}
