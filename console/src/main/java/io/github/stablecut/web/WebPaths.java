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
 * Finds an application's content by path, for any web server, and turns failures into answers.
 * Thread-safe.
 */
public final class WebPaths {
  private static final Logger LOG = Log.of(WebPaths.class);

  private static final LogLimit FAILURES = new LogLimit();

  private final Map<String, Resource> resources;

  /** The body of a failed request's answer. */
  private record Problem(String error) {}

  /** Creates the paths of an application. */
  public WebPaths(WebApp app) {
    this.resources = app.resources();
  }

  /** Whether a path exists. */
  public boolean has(String path) {
    return resources.containsKey(path);
  }

  /** Whether a path is a file, which takes no parameters. */
  public boolean isFile(String path) {
    return resources.get(path) instanceof Content;
  }

  /** Whether a path is an event stream. */
  public boolean isStream(String path) {
    return resources.get(path) instanceof Events;
  }

  /**
   * Opens an event stream.
   *
   * @throws RuntimeException to pass to {@link #failure}
   */
  public Feed open(String path, Arguments arguments) {
    if (find(path) instanceof Events events) {
      arguments.checkNames(path, events.parameters());
      return events.feed().apply(arguments);
    }
    throw new WebException(404, path + " is no event stream");
  }

  /**
   * Answers a request that changes nothing.
   *
   * @throws RuntimeException to pass to {@link #failure}
   * @throws InterruptedException if the server stops
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
    throw new WebException(405, path + " does not accept GET");
  }

  /** The answer to a failed request. */
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

  /** Encodes an event as server-sent lines. */
  public static byte[] lines(Object event) {
    return EventStreams.lines(event);
  }

  Resource find(String path) {
    Resource found = resources.get(path);
    if (found == null) {
      throw new WebException(404, "not found; the paths are " + WebApp.paths(resources));
    }
    return found;
  }
}
