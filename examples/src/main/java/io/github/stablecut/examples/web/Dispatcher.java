package io.github.stablecut.examples.web;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.UsageException;
import io.github.stablecut.examples.web.WebApp.Content;
import io.github.stablecut.examples.web.WebApp.Events;
import io.github.stablecut.examples.web.WebApp.Get;
import io.github.stablecut.examples.web.WebApp.Post;
import io.github.stablecut.examples.web.WebApp.Resource;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds what is at the path of a request, and turns mistakes into answers. Thread-safe. */
final class Dispatcher implements HttpHandler {
  private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);
  private static final int MAX_BODY_BYTES = 64 << 10;
  private static final Set<String> LOCAL_NAMES = Set.of("localhost", "127.0.0.1", "[::1]");

  private final Map<String, Resource> resources;
  private final EventStreams streams;
  private final boolean isLocal;

  /** What a client is told if its request can't be answered. */
  private record Problem(String error) {}

  Dispatcher(Map<String, Resource> resources, EventStreams streams, boolean isLocal) {
    this.resources = resources;
    this.streams = streams;
    this.isLocal = isLocal;
  }

  @Override
  public void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      try {
        answer(exchange);
      } catch (WebException e) {
        fail(exchange, e.status(), e);
      } catch (UsageException e) {
        fail(exchange, 400, e);
      } catch (StablecutException e) {
        fail(exchange, 503, e);
      } catch (RuntimeException e) {
        LOG.error("a request to {} has failed", exchange.getRequestURI().getPath(), e);
        fail(exchange, 500, new IllegalStateException("an internal error: see the log", e));
      }
    }
  }

  private void answer(HttpExchange exchange) throws IOException {
    checkHost(exchange);
    Resource resource = resources.get(exchange.getRequestURI().getPath());
    if (resource == null) {
      throw new WebException(404, "there is nothing here; there is " + WebApp.paths(resources));
    }
    if (resource instanceof Post post) {
      checkMethod(exchange, "POST");
      reply(exchange, post.handler().answer(Arguments.ofBody(body(exchange))));
      return;
    }
    checkMethod(exchange, "GET");
    if (resource instanceof Content content) {
      send(exchange, 200, content.file().type(), content.file().bytes().toArray());
      return;
    }
    String query = Objects.requireNonNullElse(exchange.getRequestURI().getRawQuery(), "");
    Arguments arguments = Arguments.ofQuery(query);
    if (resource instanceof Get get) {
      reply(exchange, get.handler().answer(arguments));
    } else if (resource instanceof Events events) {
      secure(exchange.getResponseHeaders());
      streams.run(exchange, () -> events.feed().apply(arguments));
    } else {
      throw new IllegalStateException("unknown kind of " + resource);
    }
  }

  /**
   * Refuses requests that a browser sends for a page of somewhere else whose name was made to lead
   * here (DNS rebinding).
   */
  private void checkHost(HttpExchange exchange) {
    String host = Objects.requireNonNullElse(exchange.getRequestHeaders().getFirst("Host"), "");
    if (isLocal && !LOCAL_NAMES.contains(host.replaceFirst(":[0-9]+$", ""))) {
      throw new WebException(403, "this serves %s, not \"%s\"".formatted(LOCAL_NAMES, host));
    }
  }

  private static void checkMethod(HttpExchange exchange, String method) {
    if (!exchange.getRequestMethod().equals(method)) {
      exchange.getResponseHeaders().set("Allow", method);
      throw new WebException(
          405, "%s takes %s only".formatted(exchange.getRequestURI().getPath(), method));
    }
  }

  /** The body; a page of somewhere else can't send this type without being asked first. */
  private static byte[] body(HttpExchange exchange) throws IOException {
    String type =
        Objects.requireNonNullElse(exchange.getRequestHeaders().getFirst("Content-Type"), "");
    if (!type.split(";", 2)[0].strip().equalsIgnoreCase("application/json")) {
      throw new WebException(415, "the body is application/json, not \"" + type + "\"");
    }
    byte[] body = exchange.getRequestBody().readNBytes(MAX_BODY_BYTES + 1);
    if (body.length > MAX_BODY_BYTES) {
      throw new WebException(413, "a body has at most %,d bytes".formatted(MAX_BODY_BYTES));
    }
    return body;
  }

  private static void reply(HttpExchange exchange, Object answer) throws IOException {
    send(exchange, 200, "application/json", Json.write(answer));
  }

  private static void fail(HttpExchange exchange, int status, RuntimeException why)
      throws IOException {
    if (exchange.getResponseCode() < 0) {
      String message = Objects.requireNonNullElse(why.getMessage(), "");
      send(exchange, status, "application/json", Json.write(new Problem(message)));
    }
  }

  private static void send(HttpExchange exchange, int status, String type, byte[] bytes)
      throws IOException {
    Headers headers = exchange.getResponseHeaders();
    secure(headers);
    headers.set("Content-Type", type);
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  /** Nothing comes from elsewhere, goes elsewhere, or is shown inside of something else. */
  private static void secure(Headers headers) {
    headers.set(
        "Content-Security-Policy",
        "default-src 'self'; img-src 'self' data:; frame-ancestors 'self'; base-uri 'none'; form-action 'none'");
    headers.set("X-Content-Type-Options", "nosniff");
    headers.set("Referrer-Policy", "no-referrer");
    headers.set("Cache-Control", "no-store");
  }
}
