package io.github.stablecut.web;

import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.UsageException;
import io.github.stablecut.log.Log;
import io.github.stablecut.log.LogLimit;
import io.github.stablecut.web.WebApp.Content;
import io.github.stablecut.web.WebApp.Events;
import io.github.stablecut.web.WebApp.Get;
import io.github.stablecut.web.WebApp.Resource;
import java.util.Map;
import java.util.Objects;
import org.slf4j.Logger;

/**
 * Finds what an application has at a path, for whichever server carries it, and turns mistakes into
 * answers. Thread-safe.
 */
public final class WebPaths {
  private static final Logger LOG = Log.of(WebPaths.class);

  private static final LogLimit FAILURES = new LogLimit();

  private final Map<String, Resource> resources;

  /** What a client is told if its request can't be answered. */
  private record Problem(String error) {}

  /** The paths of an application. */
  public WebPaths(WebApp app) {
    this.resources = app.resources();
  }

  /** Whether there is something. */
  public boolean has(String path) {
    return resources.containsKey(path);
  }

  /** Whether a file is there, which takes no parameters from the server's point of view. */
  public boolean isFile(String path) {
    return resources.get(path) instanceof Content;
  }

  /** Whether a stream of events is there. */
  public boolean isStream(String path) {
    return resources.get(path) instanceof Events;
  }

  /**
   * Begins a stream of events.
   *
   * @throws RuntimeException for {@link #failure}
   */
  public Feed open(String path, Arguments arguments) {
    if (find(path) instanceof Events events) {
      arguments.checkNames(path, events.parameters());
      return events.feed().apply(arguments);
    }
    throw new WebException(404, path + " is no stream of events");
  }

  /**
   * Answers a request that changes nothing.
   *
   * @throws RuntimeException for {@link #failure}
   * @throws InterruptedException if the server ends
   */
  public WebResponse get(String path, Arguments arguments) throws InterruptedException {
    Resource found = find(path);
    if (found instanceof Content content) {
      return new WebResponse(200, content.file().type(), content.file().bytes());
    }
    if (found instanceof Get get) {
      arguments.checkNames(path, get.parameters());
      return WebResponse.json(200, get.handler().answer(arguments));
    }
    throw new WebException(405, path + " is not asked like that");
  }

  /** The answer if a request has failed. */
  public static WebResponse failure(String path, RuntimeException why) {
    int status = 500;
    String message = Objects.requireNonNullElse(why.getMessage(), "");
    if (why instanceof WebException web) {
      status = web.status();
    } else if (why instanceof UsageException) {
      status = 400;
    } else if (why instanceof StablecutException) {
      status = 503;
    } else {
      FAILURES.ifAdmitted(more -> LOG.error("a request to {} has failed{}", path, more, why));
      message = "an internal error: see the log";
    }
    return WebResponse.json(status, new Problem(message));
  }

  /** An event as it is sent. */
  public static byte[] lines(Object event) {
    return EventStreams.lines(event);
  }

  Resource find(String path) {
    Resource found = resources.get(path);
    if (found == null) {
      throw new WebException(404, "there is nothing here; there is " + WebApp.paths(resources));
    }
    return found;
  }
}
