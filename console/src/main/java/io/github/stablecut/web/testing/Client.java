package io.github.stablecut.web.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Iterator;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** An HTTP client of a page's server. Thread-safe. */
public final class Client {
  private static final long POLL_NANOS = 5_000_000;
  private static final ObjectMapper JSON = new ObjectMapper();

  private final HttpClient http = HttpClient.newHttpClient();
  private final URI server;

  public Client(URI server) {
    this.server = server;
  }

  /** An answer with a JSON body. */
  public record Answer(int status, JsonNode body) {
    /** The error message of a refused request. */
    public String error() {
      return body.path("error").asText();
    }
  }

  public HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(server.resolve(path));
  }

  public HttpResponse<String> send(HttpRequest.Builder request) {
    try {
      return http.send(request.build(), BodyHandlers.ofString());
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  public HttpResponse<String> raw(String path) {
    return send(request(path));
  }

  private static Answer answer(HttpResponse<String> response) {
    try {
      return new Answer(response.statusCode(), JSON.readTree(response.body()));
    } catch (IOException e) {
      throw new AssertionError(response.body(), e);
    }
  }

  /** The text at a path. */
  public String text(String path) {
    return raw(path).body();
  }

  public Answer get(String path) {
    return answer(raw(path));
  }

  /** Posts a JSON object; single quotes stand for double ones. */
  public Answer post(String path, String json) {
    return answer(
        send(
            request(path)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json.replace('\'', '"')))));
  }

  /** Polls until the answer is as expected; the test's timeout limits the wait. */
  @CanIgnoreReturnValue
  public JsonNode await(String path, Predicate<? super JsonNode> isThere) {
    JsonNode found = get(path).body();
    while (!isThere.test(found)) {
      LockSupport.parkNanos(POLL_NANOS);
      found = get(path).body();
    }
    return found;
  }

  /** Subscribes to events; the caller closes them. */
  public Events events(String path) {
    try {
      return new Events(http.send(request(path).build(), BodyHandlers.ofLines()));
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** A stream of events. */
  public static final class Events implements AutoCloseable {
    private final int status;
    private final Stream<String> lines;
    private final Iterator<String> rest;

    private Events(HttpResponse<Stream<String>> response) {
      this.status = response.statusCode();
      this.lines = response.body();
      this.rest = lines.iterator();
    }

    /** The HTTP status: 200 if the stream is open. */
    public int status() {
      return status;
    }

    /** Waits for the next event. */
    public JsonNode next() {
      String line = rest.next();
      while (!line.startsWith("data: ")) {
        line = rest.next();
      }
      try {
        return JSON.readTree(line.substring("data: ".length()));
      } catch (IOException e) {
        throw new AssertionError(line, e);
      }
    }

    @Override
    public void close() {
      lines.close();
    }
  }
}
