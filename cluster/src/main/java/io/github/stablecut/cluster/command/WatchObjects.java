package io.github.stablecut.cluster.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.stablecut.error.PrintableText;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stablecut watch}: prints the committed changes of a bucket. */
@Command(
    name = "stablecut watch",
    description = {
      "Prints the transactions that change objects of a bucket, with the values after each. From a running server, prints them as they commit, until the server or this command stops; from a directory that no process has open, those after a time in the past.",
      "Exit code 0 at the end of the directory's changes; 1 if they can't be read, the server has stopped, or this command's output was not read for 20 seconds: resume with --after."
    })
public final class WatchObjects extends ShellCommand {
  @Mixin private StoreTarget store = new StoreTarget();

  @Option(
      names = "--after",
      paramLabel = "TIME|TOKEN",
      description = "start after this time in the past, such as 2026-11-22T09:50Z")
  private @Nullable String after;

  @Option(
      names = "--prefix",
      paramLabel = "TEXT",
      description = "print only keys that begin with TEXT")
  private String prefix = "";

  @Option(names = "--json", description = "print each transaction as a line of JSON")
  private boolean json;

  @Parameters(index = "0", paramLabel = "BUCKET", description = "the bucket")
  private String bucket = "";

  WatchObjects() {}

  /**
   * Prints the changes, and ends the process.
   *
   * @param args options
   */
  public static void main(String[] args) {
    System.exit(CommandRunner.run(new WatchObjects(), args));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    store.changes(bucket, prefix, Optional.ofNullable(after), this::print);
    return 0;
  }

  private void print(JsonNode change) {
    if (json) {
      out().println(change);
    } else {
      for (JsonNode object : change.path("objects")) {
        out()
            .println(
                "%s  %s  %s  %s"
                    .formatted(
                        change.path("time").asText(),
                        Get.shown(object.path("key")),
                        PrintableText.of(object.path("type").asText()),
                        Get.shown(object.path("value"))));
      }
    }
    out().flush();
  }
}
