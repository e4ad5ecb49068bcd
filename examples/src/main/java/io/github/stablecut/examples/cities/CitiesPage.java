package io.github.stablecut.examples.cities;

import io.github.stablecut.examples.datacentre.Cable;
import io.github.stablecut.web.Arguments;
import io.github.stablecut.web.LatestFeed;
import io.github.stablecut.web.WebApp;
import io.github.stablecut.web.WebException;

/** The page of the cities, and its requests. Thread-safe. */
final class CitiesPage {
  /** The maximum number of characters of a post or comment. */
  static final int LONGEST = 280;

  private static final int LONGEST_ID = 40;

  private final Cities cities;

  /** The id of a created object. */
  private record Created(String id) {}

  /** Confirms a request. */
  private record Done(boolean done) {}

  private CitiesPage(Cities cities) {
    this.cities = cities;
  }

  /** Creates the page and its requests. */
  static WebApp of(Cities cities) {
    CitiesPage page = new CitiesPage(cities);
    return new WebApp()
        .files(
            CitiesPage.class,
            "index.html",
            "cities.css",
            "cities.js",
            "pane.js",
            "cables.js",
            "scene.js")
        .get("/api/state", arguments -> cities.view())
        .events("/api/events", arguments -> new LatestFeed(cities.signal(), cities::view))
        .post("/api/posts", page::post)
        .post("/api/comments", page::comment)
        .post("/api/likes", page::like)
        .post("/api/sales", page::sell)
        .post("/api/gifts", page::give)
        .post("/api/cables", page::setCable);
  }

  private Object post(Arguments arguments) {
    return new Created(city(arguments).post(arguments.line("text", LONGEST)));
  }

  private Object comment(Arguments arguments) {
    return new Created(city(arguments).comment(id(arguments), arguments.line("text", LONGEST)));
  }

  private Object like(Arguments arguments) {
    city(arguments).like(id(arguments));
    return new Done(true);
  }

  private Object sell(Arguments arguments) {
    city(arguments).sell();
    return new Done(true);
  }

  private Object give(Arguments arguments) {
    city(arguments).give(number(arguments, "to"));
    return new Done(true);
  }

  private Object setCable(Arguments arguments) {
    Cable state = arguments.constant("state", Cable.class);
    int one = number(arguments, "one");
    int other = number(arguments, "other");
    if (one == other) {
      throw WebException.badRequest("a cable is between two cities: one and other are the same");
    }
    cities.setCable(one, other, state);
    return new Done(true);
  }

  private City city(Arguments arguments) {
    return cities.city(number(arguments, "city"));
  }

  private static int number(Arguments arguments, String name) {
    return arguments.number(name, 0, Cities.NAMES.size() - 1);
  }

  private static String id(Arguments arguments) {
    return arguments.line("post", LONGEST_ID);
  }
}
