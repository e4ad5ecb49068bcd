package io.github.stablecut.cluster.command;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.cluster.MoveRefusedException;
import io.github.stablecut.cluster.internal.admin.AdminPortFile;
import io.github.stablecut.cluster.internal.network.HttpAccess;
import io.github.stablecut.cluster.internal.secret.ClusterSecret;
import io.github.stablecut.error.DurationWords;
import io.github.stablecut.error.IoReason;
import io.github.stablecut.error.StoreInUseException;
import io.github.stablecut.log.Log;
import io.github.stablecut.tools.ToolProgress;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.ProtocolException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The client of a server's admin port. */
public final class AdminPort {
  private static final Logger LOG = Log.of(AdminPort.class);
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  /** The server waits for other nodes and the register, repeatedly for up to 8 s. */
  private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(60);

  private static final String DATA = "data: ";
  private static final String FAILED = "event: failed";

  @Option(
      names = "--url",
      paramLabel = "URL",
      defaultValue = "http://127.0.0.1:3001",
      converter = Url.class,
      description = "URL of a server's admin port; default ${DEFAULT-VALUE}")
  private URI url = URI.create("http://127.0.0.1:3001");

  @Option(
      names = "--secret",
      paramLabel = "FILE",
      description =
          "file with the cluster's secret, which has the admin token; default ~/.stablecut/cluster.secret")
  private @Nullable Path secret;

  private Duration commandTimeout = COMMAND_TIMEOUT;

  /** The same port with another timeout for changes. */
  AdminPort withCommandTimeout(Duration timeout) {
    AdminPort port = at(url);
    port.commandTimeout = timeout;
    return port;
  }

  /** The admin port of another node, with the same secret. */
  public AdminPort at(URI other) {
    AdminPort port = new AdminPort();
    port.url = other;
    port.secret = secret;
    return port;
  }

  /**
   * The admin token.
   *
   * @throws io.github.stablecut.cluster.SettingsException if this machine has no file with it
   */
  @CanIgnoreReturnValue
  private String token() {
    return ClusterSecret.existing(secret == null ? ClusterSecret.userFile() : secret).token();
  }

  /** Parses an HTTP URL. */
  public static final class Url implements ITypeConverter<URI> {
    @Override
    public URI convert(String text) {
      try {
        URI url = new URI(text);
        if (url.getHost() != null && Set.of("http", "https").contains(url.getScheme())) {
          return url;
        }
      } catch (URISyntaxException e) {
        // reported below
      }
      throw new TypeConversionException(
          "'" + text + "' is not a URL such as http://127.0.0.1:3001");
    }
  }

  public URI url() {
    return url;
  }

  /**
   * The admin port of the server that has a directory open, once the server has proven that.
   *
   * @param inUse the exception that reported the directory as open
   * @throws StoreInUseException if its owner is not a server, or doesn't answer
   */
  AdminPort ofOwner(Path directory, StoreInUseException inUse)
      throws IOException, InterruptedException {
    Optional<AdminPortFile> file = AdminPortFile.read(directory);
    if (file.isEmpty()) {
      throw inUse;
    }
    AdminPort owner = new AdminPort();
    owner.url = file.get().url();
    owner.secret = secret;
    String challenge = AdminPortFile.challenge();
    try {
      // Without the admin token: another process may now listen on the port of a killed server.
      String answer =
          owner.send(HttpRequest.newBuilder(owner.url.resolve(AdminPortFile.path(challenge))));
      if (file.get().isProven(directory, challenge, answer.strip())) {
        return owner;
      }
    } catch (IOException e) {
      LOG.debug("{} does not prove that it has {} open", owner.url, directory, e);
    }
    throw inUse;
  }

  /** The server's status, as JSON. */
  public ObjectNode ask() throws IOException, InterruptedException {
    if (secret != null) {
      token(); // to report a wrong file, although the status needs none
    }
    String answer = send(HttpRequest.newBuilder(url.resolve("/api/v1/status")));
    try {
      return LargeJson.mapper().readValue(answer, ObjectNode.class);
    } catch (JsonProcessingException e) {
      throw notAdminPort("without JSON", e);
    }
  }

  /**
   * Requests a change, with the admin token.
   *
   * @return the server's answer
   * @throws MoveRefusedException with the server's message, if it refuses
   */
  @CanIgnoreReturnValue
  public JsonNode execute(String path) throws IOException, InterruptedException {
    String answer = sendCommand(path);
    try {
      return LargeJson.mapper().readTree(answer);
    } catch (JsonProcessingException e) {
      throw notAdminPort("without JSON", e);
    }
  }

  private String sendCommand(String path) throws IOException, InterruptedException {
    return change(
        HttpRequest.newBuilder(url.resolve(path))
            .header(HttpAccess.OPERATOR, token())
            .timeout(commandTimeout)
            .POST(HttpRequest.BodyPublishers.noBody()),
        "the change may still take effect; look at status and cluster status, and repeat the"
            + " command if it has not");
  }

  /** Reads a path; with the admin token if this machine has one. */
  String get(String path) throws IOException, InterruptedException {
    return send(trusted(path));
  }

  /**
   * Changes an object at a path; with the admin token if this machine has one.
   *
   * @param form the parameters, URL-encoded
   */
  String post(String path, String form) throws IOException, InterruptedException {
    return change(
        trusted(path)
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(HttpRequest.BodyPublishers.ofString(form)),
        "the object may or may not have changed; read it");
  }

  /**
   * Sends a request that changes something.
   *
   * @param unknown what is unknown without an answer, and what to do
   */
  private String change(HttpRequest.Builder request, String unknown)
      throws IOException, InterruptedException {
    HttpResponse<String> response;
    try {
      response = respond(request);
    } catch (ConnectException | HttpConnectTimeoutException e) {
      throw noServer(e);
    } catch (ProtocolException e) {
      throw notAdminPort("without HTTP", e);
    } catch (HttpTimeoutException e) {
      throw new IOException("%s did not answer in time: %s".formatted(url, unknown), e);
    } catch (IOException e) {
      throw new IOException(
          "%s did not answer (%s): %s".formatted(url, IoReason.of(e), unknown), e);
    }
    return body(response);
  }

  private HttpRequest.Builder trusted(String path) {
    HttpRequest.Builder request = HttpRequest.newBuilder(url.resolve(path));
    boolean hasToken = secret != null || Files.exists(ClusterSecret.userFile());
    return hasToken ? request.header(HttpAccess.OPERATOR, token()) : request;
  }

  /**
   * Runs an admin task on the server, and waits until it ends.
   *
   * @param progress receives the task's progress
   * @return the task's result
   * @throws IOException with the server's message, if the task fails
   */
  public JsonNode runTask(String path, ToolProgress progress)
      throws IOException, InterruptedException {
    return runTask(path, progress, event -> {});
  }

  /**
   * Like {@link #runTask(String, ToolProgress)}.
   *
   * @param onOtherEvent receives the events other than the progress and the end
   */
  JsonNode runTask(String path, ToolProgress progress, Consumer<JsonNode> onOtherEvent)
      throws IOException, InterruptedException {
    JsonNode[] last = {MissingNode.getInstance()};
    followUntilEnd(
        trusted(path).POST(HttpRequest.BodyPublishers.noBody()),
        event -> {
          last[0] = event;
          if (event.has("stage")) {
            progress.update(
                event.path("stage").asText(),
                event.path("done").asLong(),
                event.path("total").asLong());
          } else if (!event.has("result") && !event.has("problem")) {
            onOtherEvent.accept(event);
          }
        });
    if (last[0].has("problem")) {
      throw new IOException(
          "the server at %s: %s".formatted(url, last[0].path("problem").asText()));
    }
    if (!last[0].has("result")) {
      throw new IOException(
          "the server at %s stopped before the task was done: look at its log, and try again"
              .formatted(url));
    }
    return last[0].path("result");
  }

  /**
   * Downloads a path, with the admin token if this machine has one.
   *
   * @param header the name of a header of the response
   * @return the value of that header
   * @throws IOException also if the connection breaks before everything was sent
   */
  String download(String path, String header, Copier copier)
      throws IOException, InterruptedException {
    HttpClient client = HttpClient.newBuilder().connectTimeout(TIMEOUT).build();
    HttpResponse<InputStream> response;
    try {
      response = client.send(trusted(path).build(), HttpResponse.BodyHandlers.ofInputStream());
    } catch (ConnectException | HttpConnectTimeoutException e) {
      throw noServer(e);
    }
    try (InputStream body = new Body(response.body())) {
      if (response.statusCode() != 200) {
        throw refused(
            response.statusCode(), new String(body.readAllBytes(), StandardCharsets.UTF_8).strip());
      }
      copier.copy(body);
    }
    return response.headers().firstValue(header).orElse("");
  }

  /** A response body; reports when the connection breaks. */
  private final class Body extends FilterInputStream {
    Body(InputStream sent) {
      super(sent);
    }

    @Override
    public int read(byte[] bytes, int from, int length) throws IOException {
      try {
        return super.read(bytes, from, length);
      } catch (IOException e) {
        throw new IOException(
            "the server at %s stopped sending before the end: look at its log, and try again"
                .formatted(url),
            e);
      }
    }
  }

  /** Consumes a stream. */
  @FunctionalInterface
  interface Copier {
    void copy(InputStream from) throws IOException;
  }

  private IOException refused(int status, String words) {
    return new IOException("%s answered %d: %s".formatted(url, status, words));
  }

  /**
   * Passes on the events of an unbounded stream.
   *
   * @throws IOException when the stream ends: with the server's message if the server reports a
   *     failure; otherwise because the server has stopped or the connection broke
   */
  void follow(String path, Consumer<JsonNode> events) throws IOException, InterruptedException {
    StreamEnd end = followUntilEnd(trusted(path), events);
    throw new IOException(
        switch (end) {
          case COMPLETE ->
              "the server at %s has stopped; resume after the last change (--after)".formatted(url);
          case BROKEN ->
              "the stream of %s broke: the server has stopped, or its timeout for a slow reader has passed; resume after the last change (--after)"
                  .formatted(url);
        });
  }

  /** The end of an event stream. */
  private enum StreamEnd {
    /** The server ended the stream. */
    COMPLETE,
    /** The connection broke. */
    BROKEN
  }

  /** Passes on the events of a stream until it ends. */
  @CanIgnoreReturnValue
  private StreamEnd followUntilEnd(HttpRequest.Builder request, Consumer<JsonNode> events)
      throws IOException, InterruptedException {
    HttpClient client = HttpClient.newBuilder().connectTimeout(TIMEOUT).build();
    try {
      HttpResponse<Stream<String>> response =
          client.send(request.build(), HttpResponse.BodyHandlers.ofLines());
      try (Stream<String> lines = response.body()) {
        if (response.statusCode() != 200) {
          throw refused(response.statusCode(), lines.collect(Collectors.joining(" ")).strip());
        }
        ObjectMapper mapper = LargeJson.mapper();
        boolean hasFailed = false;
        for (String line : (Iterable<String>) lines::iterator) {
          hasFailed |= line.equals(FAILED);
          if (hasFailed && line.startsWith(DATA)) {
            throw new IOException(url + " ended the stream: " + line.substring(DATA.length()));
          }
          if (line.startsWith(DATA)) {
            events.accept(mapper.readTree(line.substring(DATA.length())));
          }
        }
        return StreamEnd.COMPLETE;
      } catch (UncheckedIOException e) {
        if (e.getCause() instanceof StandardOutput.OutputLostException) {
          throw e;
        }
        LOG.debug("the event stream of {} broke", url, e);
        return StreamEnd.BROKEN;
      }
    } catch (ConnectException | HttpConnectTimeoutException e) {
      throw noServer(e);
    }
  }

  private IOException noServer(IOException cause) {
    String problem =
        cause.getCause() instanceof UnresolvedAddressException
            ? "there is no host %s".formatted(url.getHost())
            : "no server answers at %s".formatted(url);
    return new IOException(problem + ": start one, or give its admin port with --url", cause);
  }

  private String send(HttpRequest.Builder request) throws IOException, InterruptedException {
    try {
      return body(respond(request));
    } catch (ConnectException | HttpConnectTimeoutException e) {
      throw noServer(e);
    } catch (HttpTimeoutException e) {
      throw new IOException(
          "%s accepts connections, but did not answer within %s: the server hangs or is overloaded; try again, look at its log, or ask another node with --url"
              .formatted(url, DurationWords.of(TIMEOUT)),
          e);
    } catch (ProtocolException e) {
      throw notAdminPort("without HTTP", e);
    }
  }

  private static HttpResponse<String> respond(HttpRequest.Builder request)
      throws IOException, InterruptedException {
    HttpRequest ready = request.build();
    return HttpClient.newBuilder()
        .connectTimeout(TIMEOUT)
        .build()
        .send(
            ready.timeout().isPresent() ? ready : request.timeout(TIMEOUT).build(),
            HttpResponse.BodyHandlers.ofString());
  }

  private String body(HttpResponse<String> response) throws IOException {
    if (response.statusCode() == 409) {
      throw new MoveRefusedException(response.body().strip());
    }
    if (response.statusCode() / 100 != 2) {
      String words =
          response.statusCode() == 413
              ? "the value is too large for the admin port: change the object with a client"
              : response.body().strip();
      throw refused(response.statusCode(), words);
    }
    return response.body();
  }

  private IOException notAdminPort(String answer, IOException cause) {
    return new IOException(
        "the process at "
            + url
            + " is not an admin port, it answers "
            + answer
            + ": give a server's admin port with --url",
        cause);
  }
}
