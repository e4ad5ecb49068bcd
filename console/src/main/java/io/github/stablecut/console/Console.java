package io.github.stablecut.console;

import io.github.stablecut.web.WebApp;

/**
 * The page and what it asks for, to be served by a web server. Thread-safe; to be closed when
 * nobody is served any more.
 */
public final class Console implements AutoCloseable {
  /** Where the page is; all else of it is below. */
  public static final String PATH = "/console";

  /** What shows of the objects in the store is below. */
  public static final String OBJECTS = PATH + "/api/objects/";

  private static final String[] FILES = {
    "console.css", "console.js", "charts.js", "ring.js", "timeline.js", "browser.js", "values.js"
  };

  private final Sampler sampler;
  private final WebApp app;

  private Console(Sampler sampler, WebApp app) {
    this.sampler = sampler;
    this.app = app;
  }

  /** The console of a store. */
  public static Console of(ConsoleSource source) {
    Sampler sampler = new Sampler(source, System::nanoTime);
    ObjectBrowser objects = new ObjectBrowser(source);
    WebApp app =
        new WebApp()
            .file("/", Console.class, "index.html")
            .file(PATH, Console.class, "index.html")
            .events(PATH + "/api/live", arguments -> sampler.feed())
            .get(OBJECTS + "buckets", objects::buckets, "at", "after")
            .get(OBJECTS + "list", objects::list, "bucket", "prefix", "after", "at")
            .get(OBJECTS + "value", objects::value, "bucket", "key", "type", "at")
            .get(OBJECTS + "history", objects::history, "bucket", "key", "type")
            .events(
                OBJECTS + "watch",
                arguments -> ChangeFeed.of(source, arguments),
                "bucket",
                "prefix");
    for (String name : FILES) {
      var unused = app.file(PATH + "/" + name, Console.class, name);
    }
    return new Console(sampler, app);
  }

  /** The page and the requests, below {@link #PATH} and {@code /shared/}; the page is at / too. */
  public WebApp app() {
    return app;
  }

  @Override
  public void close() {
    sampler.close();
  }
}
