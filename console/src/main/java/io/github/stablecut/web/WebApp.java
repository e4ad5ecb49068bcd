package io.github.stablecut.web;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * The content of a web server: files, request handlers and event streams, each with its path.
 * Confined to one thread until {@link WebServer#start}, which copies it.
 *
 * <pre>{@code
 * new WebApp()
 *     .files(Page.class, "index.html", "page.js")
 *     .get("/api/state", arguments -> state())
 *     .post("/api/posts", arguments -> post(arguments.line("text", 280)))
 *     .events("/api/events", arguments -> new StateFeed());
 * }</pre>
 */
public final class WebApp {
  private static final List<String> SHARED = List.of("style.css", "kit.js", "icon.svg");

  /** The content at a path. */
  sealed interface Resource {}

  /** A file. */
  record Content(StaticFile file) implements Resource {}

  /**
   * A handler of requests without a body.
   *
   * @param parameters the names of the query's parameters
   */
  record Get(Handler handler, Set<String> parameters) implements Resource {}

  /** A handler of requests whose body is a JSON object. */
  record Post(Handler handler) implements Resource {}

  /**
   * An event stream, created for each subscriber.
   *
   * @param parameters the names of the query's parameters
   */
  record Events(Function<Arguments, Feed> feed, Set<String> parameters) implements Resource {}

  private final Map<String, Resource> resources = new TreeMap<>();

  /** Creates an application with the shared files, below {@code /shared/}. */
  public WebApp() {
    for (String name : SHARED) {
      add("/shared/" + name, new Content(StaticFile.of(WebApp.class, "shared/" + name)));
    }
  }

  /** Serves files next to a class on the class path; {@code index.html} is the page at the root. */
  public WebApp files(Class<?> neighbour, String... names) {
    for (String name : names) {
      String path = name.equals("index.html") ? "/" : "/" + name;
      add(path, new Content(StaticFile.of(neighbour, name)));
    }
    return this;
  }

  /** Serves a file next to a class on the class path, at a path. */
  @CanIgnoreReturnValue
  public WebApp file(String path, Class<?> neighbour, String name) {
    add(path, new Content(StaticFile.of(neighbour, name)));
    return this;
  }

  /**
   * Adds a handler of requests that change nothing.
   *
   * @param handler receives the query's parameters
   * @param parameters their names; a request with any other parameter is refused
   */
  public WebApp get(String path, Handler handler, String... parameters) {
    add(path, new Get(handler, Set.of(parameters)));
    return this;
  }

  /** Adds a handler of requests that change something; it receives the body's fields. */
  public WebApp post(String path, Handler handler) {
    add(path, new Post(handler));
    return this;
  }

  /**
   * Adds an event stream.
   *
   * @param feed creates a subscriber's stream from the query's parameters
   * @param parameters their names; a request with any other parameter is refused
   */
  public WebApp events(String path, Function<Arguments, Feed> feed, String... parameters) {
    add(path, new Events(feed, Set.of(parameters)));
    return this;
  }

  private void add(String path, Resource resource) {
    if (resources.put(path, resource) != null) {
      throw new IllegalArgumentException("two resources have the path " + path);
    }
  }

  Map<String, Resource> resources() {
    return Map.copyOf(resources);
  }

  /** The paths, for the answer to a request for an unknown one. */
  static List<String> paths(Map<String, Resource> resources) {
    return new ArrayList<>(new TreeMap<>(resources).keySet());
  }
}
