package io.github.stablecut.cluster.command;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.stablecut.cluster.MoveRefusedException;
import io.github.stablecut.cluster.internal.admin.AdminPortFile;
import io.github.stablecut.cluster.internal.network.HttpAccess;
import io.github.stablecut.cluster.internal.secret.ClusterSecret;
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

/** The port for operators of the server that a command asks. */
final class AdminPort {
  private static final Logger LOG = Log.of(AdminPort.class);
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  /** An order waits on the server for other nodes and the register, several times 8 s at most. */
  private static final Duration ORDER_TIMEOUT = Duration.ofSeconds(60);

  private static final String DATA = "data: ";
  private static final String FAILED = "event: failed";

  @Option(
      names = "--url",
      paramLabel = "URL",
      defaultValue = "http://127.0.0.1:3001",
      converter = Url.class,
      description = "URL of a server's port for operators; default ${DEFAULT-VALUE}")
  private URI url = URI.create("http://127.0.0.1:3001");

  @Option(
      names = "--secret",
      paramLabel = "FILE",
      description = "file with the token of operators; default ~/.stablecut/cluster.secret")
  private @Nullable Path secret;

  private Duration orderTimeout = ORDER_TIMEOUT;

  /** The same, that waits for orders as long only. */
  AdminPort patient(Duration timeout) {
    AdminPort port = at(url);
    port.orderTimeout = timeout;
    return port;
  }

  /** The same for another node. */
  AdminPort at(URI other) {
    AdminPort port = new AdminPort();
    port.url = other;
    port.secret = secret;
    return port;
  }

  private Path secret() {
    return secret == null ? ClusterSecret.userFile() : secret;
  }

  /** Reads a URL of HTTP. */
  static final class Url implements ITypeConverter<URI> {
    @Override
    public URI convert(String text) {
      try {
        URI url = new URI(text);
        if (url.getHost() != null && Set.of("http", "https").contains(url.getScheme())) {
          return url;
        }
      } catch (URISyntaxException e) {
        // said below
      }
      throw new TypeConversionException(
          "'" + text + "' is not a URL such as http://127.0.0.1:3001");
    }
  }

  URI url() {
    return url;
  }

  /**
   * The port of the server that has a directory open, as it has proven.
   *
   * @param inUse says that it is open
   * @throws StoreInUseException if it is no server, or doesn't answer
   */
  AdminPort ofOwner(Path directory, StoreInUseException inUse)
      throws IOException, InterruptedException {
    Optional<AdminPortFile> said = AdminPortFile.read(directory);
    if (said.isEmpty()) {
      throw inUse;
    }
    AdminPort owner = new AdminPort();
    owner.url = said.get().url();
    owner.secret = secret;
    String challenge = AdminPortFile.challenge();
    try {
      // Without the token of operators: anybody may listen where a killed server did.
      String answer =
          owner.send(HttpRequest.newBuilder(owner.url.resolve(AdminPortFile.path(challenge))));
      if (said.get().isProven(directory, challenge, answer.strip())) {
        return owner;
      }
    } catch (IOException e) {
      LOG.debug("who has {} open is not at {}", directory, owner.url, e);
    }
    throw inUse;
  }

  /** What the server says of itself, as JSON. */
  ObjectNode ask() throws IOException, InterruptedException {
    String answer = send(HttpRequest.newBuilder(url.resolve("/api/v1/status")));
    try {
      return LargeJson.mapper().readValue(answer, ObjectNode.class);
    } catch (JsonProcessingException e) {
      throw somethingElse("no JSON", e);
    }
  }

  /**
   * Has the server do something.
   *
   * @return its answer
   * @throws MoveRefusedException with the server's words, if it does not
   */
  JsonNode order(String path) throws IOException, InterruptedException {
    String answer = sendOrder(path);
    try {
      return LargeJson.mapper().readTree(answer);
    } catch (JsonProcessingException e) {
      throw somethingElse("no JSON", e);
    }
  }

  private String sendOrder(String path) throws IOException, InterruptedException {
    return change(
        HttpRequest.newBuilder(url.resolve(path))
            .header(HttpAccess.OPERATOR, ClusterSecret.of(secret()).token())
            .timeout(orderTimeout)
            .POST(HttpRequest.BodyPublishers.noBody()),
        "the order may still come into force; look at status, and cluster status, and give the same"
            + " order again if it has not");
  }

  /** What is at a path; with the token of operators if this machine has one. */
  String get(String path) throws IOException, InterruptedException {
    return send(trusted(path));
  }

  /**
   * Changes an object at a path; with the token of operators if this machine has one.
   *
   * @param form the parameters
   */
  String post(String path, String form) throws IOException, InterruptedException {
    return change(
        trusted(path)
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(HttpRequest.BodyPublishers.ofString(form)),
        "nobody knows whether the object was changed; read it");
  }

  /**
   * Sends what changes something.
   *
   * @param unknown what is unknown, and what to do, if there is no answer
   */
  private String change(HttpRequest.Builder request, String unknown)
      throws IOException, InterruptedException {
    HttpResponse<String> response;
    try {
      response = respond(request);
    } catch (ConnectException | HttpConnectTimeoutException e) {
      throw noServer(e);
    } catch (ProtocolException e) {
      throw somethingElse("no HTTP", e);
    } catch (IOException e) {
      throw new IOException(
          "%s has not answered (%s): %s".formatted(url, IoReason.of(e), unknown), e);
    }
    return body(response);
  }

  private HttpRequest.Builder trusted(String path) {
    HttpRequest.Builder request = HttpRequest.newBuilder(url.resolve(path));
    return Files.exists(secret())
        ? request.header(HttpAccess.OPERATOR, ClusterSecret.of(secret()).token())
        : request;
  }

  /**
   * Has the server do something long, and waits for it.
   *
   * @param progress is told how far it is
   * @return what came of it
   * @throws IOException with the server's words, if it has failed
   */
  JsonNode errand(String path, ToolProgress progress) throws IOException, InterruptedException {
    return errand(path, progress, event -> {});
  }

  /**
   * As {@link #errand(String, ToolProgress)}.
   *
   * @param others are given what is told beside the progress and the end
   */
  JsonNode errand(String path, ToolProgress progress, Consumer<JsonNode> others)
      throws IOException, InterruptedException {
    JsonNode[] last = {MissingNode.getInstance()};
    boolean unused =
        isFollowedToItsEnd(
            trusted(path).POST(HttpRequest.BodyPublishers.noBody()),
            event -> {
              last[0] = event;
              if (event.has("stage")) {
                progress.update(
                    event.path("stage").asText(),
                    event.path("done").asLong(),
                    event.path("total").asLong());
              } else if (!event.has("result") && !event.has("problem")) {
                others.accept(event);
              }
            });
    if (last[0].has("problem")) {
      throw new IOException(
          "the server at %s: %s".formatted(url, last[0].path("problem").asText()));
    }
    if (!last[0].has("result")) {
      throw new IOException(
          "the server at %s ended before it was done: look at its log, and try again"
              .formatted(url));
    }
    return last[0].path("result");
  }

  /**
   * Copies what is at a path, with the token of operators if this machine has one.
   *
   * @param header one of the answer
   * @return the header's value
   * @throws IOException also if the server ends before all was sent
   */
  String download(String path, String header, Copier copier)
      throws IOException, InterruptedException {
    HttpClient client = HttpClient.newBuilder().connectTimeout(TIMEOUT).build();
    HttpResponse<InputStream> response;
    try {
      response = client.send(trusted(path).build(), HttpResponse.BodyHandlers.ofInputStream());
    } catch (ConnectException e) {
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

  /** What a server sends; says that it is cut off. */
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
            "the server at %s ended before all was sent: look at its log, and try again"
                .formatted(url),
            e);
      }
    }
  }

  /** Copies a stream. */
  @FunctionalInterface
  interface Copier {
    void copy(InputStream from) throws IOException;
  }

  private IOException refused(int status, String words) {
    return new IOException("%s answered %d: %s".formatted(url, status, words));
  }

  /**
   * Passes on the events of a stream that has no end.
   *
   * @throws IOException when there are no more: with the server's words if it can tell no more, and
   *     also if the server has ended in an orderly way, or the stream has broken off
   */
  void follow(String path, Consumer<JsonNode> events) throws IOException, InterruptedException {
    String why =
        isFollowedToItsEnd(trusted(path), events)
            ? "the server at %s has ended; go on after the last change (--after)"
            : "the stream of %s broke off: the server has ended, or has waited too long for this"
                + " command to take more; go on after the last change (--after)";
    throw new IOException(why.formatted(url));
  }

  /** Passes on events; returns whether the server has ended them, or the connection broke off. */
  private boolean isFollowedToItsEnd(HttpRequest.Builder request, Consumer<JsonNode> events)
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
            throw new IOException(url + " tells no more: " + line.substring(DATA.length()));
          }
          if (line.startsWith(DATA)) {
            events.accept(mapper.readTree(line.substring(DATA.length())));
          }
        }
        return true;
      } catch (UncheckedIOException e) {
        if (e.getCause() instanceof StandardOutput.Lost) {
          throw e;
        }
        LOG.debug("the stream broke off", e);
        return false;
      }
    } catch (ConnectException e) {
      throw noServer(e);
    }
  }

  private IOException noServer(IOException cause) {
    return new IOException(
        "no server answers at " + url + ": start one, or name its port for operators by --url",
        cause);
  }

  private String send(HttpRequest.Builder request) throws IOException, InterruptedException {
    try {
      return body(respond(request));
    } catch (ConnectException e) {
      throw noServer(e);
    } catch (ProtocolException e) {
      throw somethingElse("no HTTP", e);
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
              ? "the value is too large for this port: change the object by a program"
              : response.body().strip();
      throw refused(response.statusCode(), words);
    }
    return response.body();
  }

  private IOException somethingElse(String answer, IOException cause) {
    return new IOException(
        "what answers at "
            + url
            + " is something else, it speaks "
            + answer
            + ": name a server's port for operators by --url",
        cause);
  }
}
