package io.github.stablecut.web;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import io.github.stablecut.web.WebApp.Post;
import java.io.IOException;
import java.util.Objects;
import java.util.Set;

/** Dispatches requests by path, and turns failures into answers. Thread-safe. */
final class Dispatcher implements HttpHandler {
  private static final int MAX_BODY_BYTES = 64 << 10;
  private static final Set<String> LOCAL_NAMES = Set.of("localhost", "127.0.0.1", "[::1]");

  private final WebPaths paths;
  private final EventStreams streams;
  private final boolean isLocal;

  Dispatcher(WebPaths paths, EventStreams streams, boolean isLocal) {
    this.paths = paths;
    this.streams = streams;
    this.isLocal = isLocal;
  }

  @Override
  public void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      try {
        answer(exchange);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (RuntimeException e) {
        if (exchange.getResponseCode() < 0) {
          send(exchange, WebPaths.failure(exchange.getRequestURI().getPath(), e));
        }
      }
    }
  }

  private void answer(HttpExchange exchange) throws IOException, InterruptedException {
    RequestOrigin.check(exchange.getRequestHeaders()::get);
    checkHost(exchange);
    String path = exchange.getRequestURI().getPath();
    if (paths.find(path) instanceof Post post) {
      checkMethod(exchange, "POST");
      send(
          exchange, WebResponse.json(200, post.handler().answer(Arguments.ofBody(body(exchange)))));
      return;
    }
    checkMethod(exchange, "GET");
    String query = Objects.requireNonNullElse(exchange.getRequestURI().getRawQuery(), "");
    Arguments arguments = Arguments.ofQuery(query);
    if (paths.isStream(path)) {
      WebResponse.SECURITY.forEach(exchange.getResponseHeaders()::set);
      streams.run(exchange, () -> paths.open(path, arguments));
    } else {
      send(exchange, paths.get(path, arguments));
    }
  }

  /**
   * Refuses requests for another host name, which a foreign page can make resolve to this address
   * (DNS rebinding).
   */
  private void checkHost(HttpExchange exchange) {
    String host = Objects.requireNonNullElse(exchange.getRequestHeaders().getFirst("Host"), "");
    if (isLocal && !LOCAL_NAMES.contains(host.replaceFirst(":[0-9]+$", ""))) {
      throw new WebException(403, "this server serves %s, not \"%s\"".formatted(LOCAL_NAMES, host));
    }
  }

  private static void checkMethod(HttpExchange exchange, String method) {
    if (!exchange.getRequestMethod().equals(method)) {
      exchange.getResponseHeaders().set("Allow", method);
      throw new WebException(
          405, "%s accepts only %s".formatted(exchange.getRequestURI().getPath(), method));
    }
  }

  /** Reads the body. A foreign page can't send its media type without a CORS preflight. */
  private static byte[] body(HttpExchange exchange) throws IOException {
    String type =
        Objects.requireNonNullElse(exchange.getRequestHeaders().getFirst("Content-Type"), "");
    if (!type.split(";", 2)[0].strip().equalsIgnoreCase("application/json")) {
      throw new WebException(415, "the body must be application/json, not \"" + type + "\"");
    }
    byte[] body = exchange.getRequestBody().readNBytes(MAX_BODY_BYTES + 1);
    if (body.length > MAX_BODY_BYTES) {
      throw new WebException(413, "the body exceeds %,d bytes".formatted(MAX_BODY_BYTES));
    }
    return body;
  }

  private static void send(HttpExchange exchange, WebResponse answer) throws IOException {
    Headers headers = exchange.getResponseHeaders();
    WebResponse.SECURITY.forEach(headers::set);
    headers.set("Content-Type", answer.type());
    int length = answer.body().length();
    exchange.sendResponseHeaders(answer.status(), length == 0 ? -1 : length);
    exchange.getResponseBody().write(answer.body().toArray());
  }
}
