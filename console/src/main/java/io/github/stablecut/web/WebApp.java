package io.github.stablecut.web;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * What a web server serves: files, answers to requests, and events, each under a path of its own.
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

  /** What there is at a path. */
  sealed interface Resource {}

  /** A file. */
  record Content(StaticFile file) implements Resource {}

  /**
   * Answers a request without a body.
   *
   * @param parameters the names of the query's parameters
   */
  record Get(Handler handler, Set<String> parameters) implements Resource {}

  /** What answers a request with a JSON object. */
  record Post(Handler handler) implements Resource {}

  /**
   * A stream of events, made for each subscriber.
   *
   * @param parameters the names of the query's parameters
   */
  record Events(Function<Arguments, Feed> feed, Set<String> parameters) implements Resource {}

  private final Map<String, Resource> resources = new TreeMap<>();

  /** With the files that all applications share, below {@code /shared/}. */
  public WebApp() {
    for (String name : SHARED) {
      add("/shared/" + name, new Content(StaticFile.of(WebApp.class, "shared/" + name)));
    }
  }

  /**
   * Serves files that lie beside a class on the class path; {@code index.html} is the page at the
   * root.
   */
  public WebApp files(Class<?> neighbour, String... names) {
    for (String name : names) {
      String path = name.equals("index.html") ? "/" : "/" + name;
      add(path, new Content(StaticFile.of(neighbour, name)));
    }
    return this;
  }

  /** Serves a file that lies beside a class on the class path, at a path. */
  public WebApp file(String path, Class<?> neighbour, String name) {
    add(path, new Content(StaticFile.of(neighbour, name)));
    return this;
  }

  /**
   * Answers requests that change nothing.
   *
   * @param handler gets the query's parameters
   * @param parameters their names; a request with any other parameter is refused
   */
  public WebApp get(String path, Handler handler, String... parameters) {
    add(path, new Get(handler, Set.of(parameters)));
    return this;
  }

  /** Answers requests that change something; the handler gets the body's fields. */
  public WebApp post(String path, Handler handler) {
    add(path, new Post(handler));
    return this;
  }

  /**
   * Serves a stream of events.
   *
   * @param feed makes the stream of a subscriber from the query's parameters
   * @param parameters their names; a request with any other parameter is refused
   */
  public WebApp events(String path, Function<Arguments, Feed> feed, String... parameters) {
    add(path, new Events(feed, Set.of(parameters)));
    return this;
  }

  private void add(String path, Resource resource) {
    if (resources.put(path, resource) != null) {
      throw new IllegalArgumentException("there are two of " + path);
    }
  }

  Map<String, Resource> resources() {
    return Map.copyOf(resources);
  }

  /** The paths, for a client that has asked for another one. */
  static List<String> paths(Map<String, Resource> resources) {
    return new ArrayList<>(new TreeMap<>(resources).keySet());
  }
}
