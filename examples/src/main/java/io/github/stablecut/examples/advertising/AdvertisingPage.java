package io.github.stablecut.examples.advertising;

import io.github.stablecut.web.LatestFeed;
import io.github.stablecut.web.WebApp;

/** The page with the plot, and its requests. */
final class AdvertisingPage {
  /** Confirms a request. */
  private record Done(boolean done) {}

  private AdvertisingPage() {}

  /** Creates the page and its requests. */
  static WebApp of(Advertising advertising) {
    return new WebApp()
        .files(AdvertisingPage.class, "index.html", "advertising.css", "advertising.js", "plot.js")
        .get("/api/state", arguments -> advertising.view())
        .events("/api/events", arguments -> new LatestFeed(advertising.signal(), advertising::view))
        .post(
            "/api/analysis",
            arguments -> {
              advertising.analyse(arguments.number("runs", 0, 1) == 1);
              return new Done(true);
            });
  }
}
