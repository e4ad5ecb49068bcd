package io.github.stablecut.cluster.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.stablecut.cluster.terminal.Table;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ./stablecut status}: how a serving store is. */
@Command(
    name = "./stablecut status",
    description = {
      "Asks a server's port for operators how it is.",
      "Exit code 0 if it is ready, 1 if it is not or doesn't answer."
    })
public final class Status implements Callable<Integer> {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final int NOT_READY = 1;

  /** How the answer is shown. */
  enum Format {
    /** One fact a line. */
    table,
    /** As the server says it. */
    json
  }

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
      description = "the port for operators; default ${DEFAULT-VALUE}")
  private URI url = URI.create("http://127.0.0.1:3001");

  @Option(
      names = {"-w", "--write"},
      paramLabel = "FORMAT",
      defaultValue = "table",
      description = "${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}")
  private Format format = Format.table;

  Status() {}

  /** The command, to be run. */
  public static Object command() {
    return new Status();
  }

  /**
   * Asks, and ends the process.
   *
   * @param args options
   */
  public static void main(String[] args) {
    System.exit(CommandRunner.run(new Status(), args));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    String json = ask(url);
    JsonNode report = new ObjectMapper().readTree(json);
    PrintWriter out = spec.commandLine().getOut();
    if (format == Format.json) {
      out.print(json);
    } else {
      print(out, "", report);
    }
    return report.path("ready").asBoolean() ? 0 : NOT_READY;
  }

  /** What a server says of itself, as JSON. */
  static String ask(URI url) throws IOException, InterruptedException {
    HttpClient client = HttpClient.newBuilder().connectTimeout(TIMEOUT).build();
    HttpRequest request =
        HttpRequest.newBuilder(url.resolve("/api/v1/status")).timeout(TIMEOUT).build();
    try {
      HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
      if (response.statusCode() != 200) {
        throw new IOException(
            "%s answered %d: %s".formatted(url, response.statusCode(), response.body().strip()));
      }
      return response.body();
    } catch (ConnectException e) {
      throw new IOException(
          "no server answers at " + url + ": start one, or name its port for operators by --url",
          e);
    }
  }

  /** Prints each fact on a line, with the names that lead to it. */
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
    return value.isNumber() ? number(value) : Table.printable(value.asText());
  }

  private static String number(JsonNode value) {
    return "%,d".formatted(value.asLong());
  }
}
