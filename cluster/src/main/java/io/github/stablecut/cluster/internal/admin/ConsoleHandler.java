package io.github.stablecut.cluster.internal.admin;

import io.github.stablecut.cluster.internal.network.HttpEvents;
import io.github.stablecut.cluster.internal.network.HttpHandler;
import io.github.stablecut.cluster.internal.network.HttpRequest;
import io.github.stablecut.cluster.internal.network.HttpResponse;
import io.github.stablecut.console.Console;
import io.github.stablecut.web.Arguments;
import io.github.stablecut.web.Feed;
import io.github.stablecut.web.WebException;
import io.github.stablecut.web.WebPaths;
import io.github.stablecut.web.WebResponse;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Serves the console on the admin port. Thread-safe. */
final class ConsoleHandler {
  private final WebPaths paths;

  ConsoleHandler(Console console) {
    this.paths = new WebPaths(console.app());
  }

  /** Whether the console answers a request. */
  boolean has(HttpRequest call) {
    return !call.isPost() && !call.path().equals("/") && paths.has(call.path());
  }

  /** Whether the answer needs the store. */
  boolean isOfStore(HttpRequest call) {
    return has(call) && call.path().startsWith(Console.OBJECTS);
  }

  boolean isStream(HttpRequest call) {
    return has(call) && paths.isStream(call.path());
  }

  HttpResponse answer(HttpRequest call) {
    try {
      requireTrust(call);
      if (paths.isFile(call.path())) {
        Arguments.of(call.parameters()).checkNames(call.path(), Set.of());
      }
      return answer(paths.get(call.path(), Arguments.of(call.parameters())));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return HttpResponse.text(503, "the server is stopping");
    } catch (RuntimeException e) {
      return answer(WebPaths.failure(call.path(), e));
    }
  }

  HttpEvents events(HttpRequest call) throws HttpHandler.RefusedException {
    try {
      requireTrust(call);
      return new FeedEvents(paths.open(call.path(), Arguments.of(call.parameters())));
    } catch (RuntimeException e) {
      throw new HttpHandler.RefusedException(answer(WebPaths.failure(call.path(), e)));
    }
  }

  /** Refuses requests for the store's objects that are not trusted. */
  private static void requireTrust(HttpRequest call) {
    if (call.path().startsWith(Console.OBJECTS) && !call.isTrusted()) {
      throw new WebException(
          403,
          "the store's objects are shown only to this machine and to requests with the admin token: open the console through an SSH tunnel");
    }
  }

  private static HttpResponse answer(WebResponse answer) {
    return new HttpResponse(answer.status(), answer.type(), answer.body(), WebResponse.SECURITY);
  }

  /** The events of a feed. */
  private record FeedEvents(Feed feed) implements HttpEvents {
    @Override
    public Map<String, String> headers() {
      return WebResponse.SECURITY;
    }

    @Override
    public Optional<byte[]> next(Duration longest) throws InterruptedException {
      return feed.next(longest).map(WebPaths::lines);
    }

    @Override
    public void close() {
      feed.close();
    }
  }
}
