package io.github.stablecut.console;

import io.github.stablecut.web.WebApp;

/**
 * The console's page and the requests behind it, for any web server. Thread-safe. Close it once the
 * web server has stopped.
 */
public final class Console implements AutoCloseable {
  /** The path of the page; everything else is below it. */
  public static final String PATH = "/console";

  /** The prefix of paths that show objects of the store. */
  public static final String OBJECTS = PATH + "/api/objects/";

  private static final String[] FILES = {
    "console.css",
    "console.js",
    "charts.js",
    "ring.js",
    "replicas.js",
    "tables.js",
    "timeline.js",
    "browser.js",
    "values.js"
  };

  private final Sampler sampler;
  private final WebApp app;

  private Console(Sampler sampler, WebApp app) {
    this.sampler = sampler;
    this.app = app;
  }

  /** Creates the console of a store. */
  public static Console of(ConsoleSource source) {
    Sampler sampler = new Sampler(source, System::nanoTime);
    ObjectBrowser objects = new ObjectBrowser(source);
    TableBrowser tables = new TableBrowser(source);
    WebApp app =
        new WebApp()
            .file("/", Console.class, "index.html")
            .file(PATH, Console.class, "index.html")
            .events(PATH + "/api/live", arguments -> sampler.feed())
            .get(OBJECTS + "buckets", objects::buckets, "at", "after")
            .get(OBJECTS + "list", objects::list, "bucket", "prefix", "after", "at")
            .get(OBJECTS + "value", objects::value, "bucket", "key", "type", "at")
            .get(OBJECTS + "history", objects::history, "bucket", "key", "type")
            .get(OBJECTS + "tables", tables::tables, "at")
            .get(OBJECTS + "rows", tables::rows, "namespace", "table", "column", "value", "at")
            .events(
                OBJECTS + "watch",
                arguments -> ChangeFeed.of(source, arguments),
                "bucket",
                "prefix");
    for (String name : FILES) {
      app.file(PATH + "/" + name, Console.class, name);
    }
    return new Console(sampler, app);
  }

  /** The page and its requests, below {@link #PATH} and {@code /shared/}; the page is also at /. */
  public WebApp app() {
    return app;
  }

  @Override
  public void close() {
    sampler.close();
  }
}
