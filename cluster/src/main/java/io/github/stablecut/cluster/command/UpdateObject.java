package io.github.stablecut.cluster.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.stablecut.cluster.internal.exchange.ObjectUpdates;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stablecut update}: changes an object. */
@Command(
    name = "stablecut update",
    description = {
      "Changes an object of a running server, or of a directory that no process has open, and"
          + " prints the commit's time and token.",
      "Operations: increment and decrement [N] of counters; assign TEXT and clear of registers; add"
          + " TEXT, remove TEXT and clear of sets; enable and disable of flags.",
      "Exit code 0 once the change is committed, 1 if it was refused or its outcome is unknown."
    })
public final class UpdateObject extends ShellCommand {
  @Mixin private StoreTarget store = new StoreTarget();

  @Option(
      names = "--type",
      paramLabel = "TYPE",
      description =
          "type of the object, such as \"remove-wins set\"; default: the existing object's type, or for a new one counter, last-writer-wins register, add-wins set or enable-wins flag")
  private @Nullable String type;

  @Option(names = "--json", description = "print the result as a line of JSON")
  private boolean json;

  @Parameters(index = "0", paramLabel = "BUCKET", description = "the object's bucket")
  private String bucket = "";

  @Parameters(index = "1", paramLabel = "KEY", description = "the object's key")
  private String key = "";

  @Parameters(index = "2", paramLabel = "OPERATION", description = "the operation to apply")
  private String operation = "";

  @Parameters(index = "3", arity = "0..1", paramLabel = "VALUE", description = "a text or a number")
  private @Nullable String value;

  UpdateObject() {}

  /**
   * Changes the object, and ends the process.
   *
   * @param args options
   */
  public static void main(String[] args) {
    System.exit(CommandRunner.run(new UpdateObject(), args));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    JsonNode commit =
        store.update(
            new ObjectUpdates.Request(
                bucket, key, operation, Optional.ofNullable(value), Optional.ofNullable(type)));
    out()
        .println(
            json
                ? commit.toString()
                : commit.path("time").asText() + "  " + commit.path("token").asText());
    return Exit.DONE.code();
  }
}
