package io.github.stablecut.cluster.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.stablecut.error.PrintableText;
import java.io.IOException;
import java.io.PrintWriter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code stablecut status}: shows the status of a running server. */
@Command(
    name = "stablecut status",
    description = {
      "Shows the status of a running server.",
      "Exit code 0 if it is ready, 1 if it is not ready or does not answer."
    })
public final class Status extends ShellCommand {
  @Mixin private AdminPort port = new AdminPort();

  @Option(names = "--json", description = "print the result as a line of JSON")
  private boolean json;

  Status() {}

  /** Creates the command. */
  public static Object command() {
    return new Status();
  }

  /**
   * Prints the status, and ends the process.
   *
   * @param args options
   */
  public static void main(String[] args) {
    System.exit(CommandRunner.run(new Status(), args));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    ObjectNode report = port.ask();
    Exit exit = report.path("ready").asBoolean() ? Exit.DONE : Exit.FAILED;
    if (json) {
      printJson(exit, report);
    } else {
      print(out(), "", report);
    }
    return exit.code();
  }

  /** Prints each field on a line, with its path. Null stands for the time before all commits. */
  static void print(PrintWriter out, String name, JsonNode value) {
    String prefix = name.isEmpty() ? "" : name + ".";
    if (value.isContainerNode() && !value.isEmpty()) {
      value.properties().forEach(field -> print(out, prefix + field.getKey(), field.getValue()));
      for (int i = 0; value.isArray() && i < value.size(); i++) {
        print(out, prefix + i, value.get(i));
      }
    } else {
      out.println("%-32s  %s".formatted(name, text(value)));
    }
  }

  private static String text(JsonNode value) {
    if (value.isContainerNode()) {
      return "none";
    }
    if (value.isNull()) {
      return "the beginning";
    }
    return value.isNumber() ? number(value) : PrintableText.of(value.asText());
  }

  private static String number(JsonNode value) {
    return "%,d".formatted(value.asLong());
  }
}
