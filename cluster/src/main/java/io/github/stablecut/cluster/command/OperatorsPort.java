package io.github.stablecut.cluster.command;

import io.github.stablecut.cluster.MoveRefusedException;
import io.github.stablecut.cluster.internal.network.HttpServer;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import picocli.CommandLine.Option;

/** The port for operators of the server that a command asks. */
final class OperatorsPort {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  @Option(
      names = "--url",
      paramLabel = "URL",
      defaultValue = "http://127.0.0.1:3001",
      description = "the port for operators; default ${DEFAULT-VALUE}")
  private URI url = URI.create("http://127.0.0.1:3001");

  URI url() {
    return url;
  }

  /** What the server says of itself, as JSON. */
  String ask() throws IOException, InterruptedException {
    return send(HttpRequest.newBuilder(url.resolve("/api/v1/status")));
  }

  /**
   * Has the server do something.
   *
   * @throws MoveRefusedException with the server's words, if it does not
   */
  void order(String path) throws IOException, InterruptedException {
    var unused =
        send(
            HttpRequest.newBuilder(url.resolve(path))
                .header(HttpServer.OPERATOR, "yes")
                .POST(HttpRequest.BodyPublishers.noBody()));
  }

  private String send(HttpRequest.Builder builder) throws IOException, InterruptedException {
    HttpClient client = HttpClient.newBuilder().connectTimeout(TIMEOUT).build();
    HttpRequest request = builder.timeout(TIMEOUT).build();
    try {
      HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
      if (response.statusCode() == 409) {
        throw new MoveRefusedException(response.body().strip());
      }
      if (response.statusCode() / 100 != 2) {
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
}
