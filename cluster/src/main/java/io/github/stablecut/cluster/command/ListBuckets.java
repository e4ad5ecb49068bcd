package io.github.stablecut.cluster.command;

import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code stablecut buckets}: prints the buckets of a store. */
@Command(
    name = "stablecut buckets",
    description = {
      "Prints the buckets that have objects, one per line, of a running server, or of a directory that no process has open: now, or at a time in the past. stablecut scan BUCKET prints the objects of one.",
      "Exit code 0 if all were printed, also if there are none; 1 if they can't be read."
    })
public final class ListBuckets extends ShellCommand {
  @Mixin private StoreTarget store = new StoreTarget();

  @Option(
      names = "--at",
      paramLabel = "TIME|TOKEN",
      description = "print the buckets as of this time, such as 2026-11-22T09:50Z")
  private @Nullable String at;

  @Option(names = "--json", description = "print each bucket as a line of JSON")
  private boolean json;

  ListBuckets() {}

  /**
   * Prints the buckets, and ends the process.
   *
   * @param args options
   */
  public static void main(String[] args) {
    System.exit(CommandRunner.run(new ListBuckets(), args));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    store.buckets(
        Optional.ofNullable(at),
        bucket -> out().println(json ? bucket.toString() : Get.shown(bucket.path("bucket"))));
    return Exit.DONE.code();
  }
}
