package io.github.stablecut.cluster.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.stablecut.error.PrintableText;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stablecut get}: prints an object. */
@Command(
    name = "stablecut get",
    description = {
      "Prints an object of a running server, or of a directory that no process has open: its"
          + " current value, or that of a time in the past.",
      "Exit code 0 if the object exists, 1 if not, or if it can't be read."
    })
public final class Get extends ShellCommand {
  private static final int NOT_FOUND = 1;

  @Mixin private StoreTarget store = new StoreTarget();

  @Option(
      names = "--at",
      paramLabel = "TIME|TOKEN",
      description = "read the object as of this time, such as 2026-11-22T09:50Z")
  private @Nullable String at;

  @Option(
      names = "--json",
      description = "print a line of JSON as in an export, with time and token")
  private boolean json;

  @Parameters(index = "0", paramLabel = "BUCKET", description = "the object's bucket")
  private String bucket = "";

  @Parameters(index = "1", paramLabel = "KEY", description = "the object's key")
  private String key = "";

  Get() {}

  /**
   * Prints the object, and ends the process.
   *
   * @param args options
   */
  public static void main(String[] args) {
    System.exit(CommandRunner.run(new Get(), args));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    List<StoreTarget.FoundObject> found = new ArrayList<>();
    store.read(bucket, Optional.of(key), "", Optional.ofNullable(at), found::add);
    for (StoreTarget.FoundObject one : found) {
      if (json && one.object() instanceof ObjectNode object) {
        out().println(object.put("time", one.time()).put("token", one.token()));
      } else {
        print(one.object().path("value"));
      }
    }
    if (found.isEmpty()) {
      err()
          .println(
              "there is no object \"%s\" in bucket \"%s\"%s"
                  .formatted(key, bucket, at == null ? "" : " at " + at));
      return NOT_FOUND;
    }
    return 0;
  }

  /** Prints a value; a text may have several lines. */
  private void print(JsonNode value) {
    if (value.isTextual()) {
      value.textValue().lines().map(PrintableText::of).forEach(out()::println);
    } else {
      out().println(shown(value));
    }
  }

  /** A text unchanged, everything else as JSON; without control characters for terminals. */
  static String shown(JsonNode value) {
    return PrintableText.of(value.isTextual() ? value.textValue() : value.toString());
  }
}
