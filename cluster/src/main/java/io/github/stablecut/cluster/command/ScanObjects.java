package io.github.stablecut.cluster.command;

import io.github.stablecut.cluster.SettingsException;
import io.github.stablecut.error.PrintableText;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stablecut scan}: prints the objects of a bucket. */
@Command(
    name = "stablecut scan",
    description = {
      "Prints the objects of a bucket of a running server, or of a directory that no process has"
          + " open, at one snapshot: the current one, or that of a time in the past.",
      "Exit code 0 if all objects were printed, also if there are none; 1 if they can't be read."
    })
public final class ScanObjects extends ShellCommand {
  @Mixin private StoreTarget store = new StoreTarget();

  @Option(
      names = "--at",
      paramLabel = "TIME|TOKEN",
      description = "read the objects as of this time, such as 2026-11-22T09:50Z")
  private @Nullable String at;

  @Option(
      names = "--prefix",
      paramLabel = "TEXT",
      description = "print only keys that begin with TEXT")
  private String prefix = "";

  @Option(names = "--limit", paramLabel = "N", description = "print at most N objects")
  private long limit = Long.MAX_VALUE;

  @Option(names = "--json", description = "print each object as a line of JSON, as in an export")
  private boolean json;

  @Parameters(index = "0", paramLabel = "BUCKET", description = "the bucket")
  private String bucket = "";

  ScanObjects() {}

  /**
   * Prints the objects, and ends the process.
   *
   * @param args options
   */
  public static void main(String[] args) {
    System.exit(CommandRunner.run(new ScanObjects(), args));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (limit < 1) {
      throw new SettingsException("--limit is 1 or more, not " + limit);
    }
    long[] left = {limit};
    store.read(bucket, Optional.empty(), prefix, Optional.ofNullable(at), one -> print(one, left));
    return 0;
  }

  /** Prints an object; returns whether the limit permits more. */
  private boolean print(StoreTarget.FoundObject one, long[] left) {
    out()
        .println(
            json
                ? one.object().toString()
                : "%s  %s  %s"
                    .formatted(
                        Get.shown(one.object().path("key")),
                        PrintableText.of(one.object().path("type").asText()),
                        Get.shown(one.object().path("value"))));
    left[0]--;
    return left[0] > 0;
  }
}
