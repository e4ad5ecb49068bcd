package io.github.stablecut.cluster.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.stablecut.error.PrintableText;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code stablecut tables}: prints the definitions of a store's tables. */
@Command(
    name = "stablecut tables",
    description = {
      "Prints the tables of a running server, or of a directory that no process has open, with their columns, keys and indexes: now, or at a time in the past. stablecut sql queries their records.",
      "Exit code 0 if all were printed, also if there are none; 1 if they can't be read."
    })
public final class ListTables extends ShellCommand {
  @Mixin private StoreTarget store = new StoreTarget();

  @Option(
      names = "--at",
      paramLabel = "TIME|TOKEN",
      description = "print the tables as of this time, such as 2026-11-22T09:50Z")
  private @Nullable String at;

  @Option(names = "--json", description = "print each table as a line of JSON")
  private boolean json;

  ListTables() {}

  /**
   * Prints the tables, and ends the process.
   *
   * @param args options
   */
  public static void main(String[] args) {
    System.exit(CommandRunner.run(new ListTables(), args));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    for (JsonNode table : store.tables(Optional.ofNullable(at))) {
      if (json) {
        out().println(table);
      } else {
        print(table);
      }
    }
    return Exit.DONE.code();
  }

  private void print(JsonNode table) {
    String name = "%s.%s".formatted(table.path("namespace").asText(), table.path("table").asText());
    JsonNode columns = table.path("columns");
    out()
        .println(
            PrintableText.of(
                table.path("damaged").asBoolean()
                    ? name + ": its definition is lost: repair the table"
                    : name));
    int width = 0;
    for (JsonNode column : columns) {
      width = Math.max(width, column.path("column").asText().length());
    }
    for (JsonNode column : columns) {
      String line =
          "  %s  %-11s  %s"
              .formatted(
                  pad(column.path("column").asText(), width),
                  column.path("type").asText(),
                  String.join(", ", roles(column)));
      out().println(PrintableText.of(line.stripTrailing()));
    }
  }

  private static String pad(String text, int width) {
    return text + " ".repeat(width - text.length());
  }

  private static List<String> roles(JsonNode column) {
    List<String> roles = new ArrayList<>();
    if (column.has("key")) {
      roles.add(column.path("key").asText() + " key");
    }
    if (column.path("descending").asBoolean()) {
      roles.add("descending");
    }
    if (column.path("indexed").asBoolean()) {
      roles.add("indexed");
    }
    return roles;
  }
}
